// Package plural counts things in words: messages of the guard and of the commands say "1 change" and "2 changes" alike.
package plural

import "strconv"

// Of is n and the name of the thing, which has an s unless there is one of it.
func Of(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}
