package screen

// Colour is how a word stands out on a terminal.
type Colour string

// The colours, as terminals know them.
const (
	Plain  Colour = ""
	Bold   Colour = "1"
	Red    Colour = "31"
	Green  Colour = "32"
	Yellow Colour = "33"
)

// paint colours a text that is visible already.
func (s *Screen) paint(c Colour, text string) string {
	if !s.colours || c == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}
