package file

import "os"

// temporary returns a new file that has no name and goes away with its last reader.
func temporary() (*os.File, error) {
	f, err := os.CreateTemp("", "almanac-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
