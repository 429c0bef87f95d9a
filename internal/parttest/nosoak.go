//go:build !soak

package parttest

// soak reports that soak tests are built in, which want real parts wherever they are.
const soak = false
