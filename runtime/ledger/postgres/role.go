package postgres

import "context"

// Role is the role of the database that this program has shown itself to be. It is safe for concurrent use.
func (s *Store) Role(ctx context.Context) (name string, err error) {
	err = s.read(ctx, "look for its role", func(ctx context.Context, db reader) error {
		return db.QueryRow(ctx, "SELECT session_user::text").Scan(&name)
	})
	return name, err
}
