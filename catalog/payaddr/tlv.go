package payaddr

import (
	"errors"
	"fmt"
)

// tlvRecords returns the records of a TLV stream (BOLT 1) by their types, which must ascend. Its errors continue "the offer".
func tlvRecords(b []byte) (map[uint64][]byte, error) {
	records := make(map[uint64][]byte)
	for last := uint64(0); len(b) > 0; {
		typ, rest, err := bigSize(b)
		if err != nil {
			return nil, err
		}
		length, rest, err := bigSize(rest)
		if err != nil {
			return nil, err
		}
		if length > uint64(len(rest)) {
			return nil, fmt.Errorf("has a record %d that declares %d bytes but has %d", typ, length, len(rest))
		}
		if len(records) > 0 && typ <= last {
			return nil, fmt.Errorf("has record %d after record %d, although records must ascend", typ, last)
		}
		records[typ], last, b = rest[:length], typ, rest[length:]
	}
	return records, nil
}

// bigSize returns the BigSize integer at the start of b, which must be in its shortest form, and what follows it.
func bigSize(b []byte) (uint64, []byte, error) {
	if len(b) == 0 {
		return 0, nil, errors.New("ends within a record")
	}
	n, least := 0, uint64(0)
	switch b[0] {
	case 0xfd:
		n, least = 2, 0xfd
	case 0xfe:
		n, least = 4, 1<<16
	case 0xff:
		n, least = 8, 1<<32
	default:
		return uint64(b[0]), b[1:], nil
	}
	if len(b) < 1+n {
		return 0, nil, errors.New("ends within a number")
	}
	var v uint64
	for _, c := range b[1 : 1+n] {
		v = v<<8 | uint64(c)
	}
	if v < least {
		return 0, nil, errors.New("contains a number that is not in its shortest form")
	}
	return v, b[1+n:], nil
}
