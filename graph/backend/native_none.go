//go:build !native || !cgo

package backend

func nativeVersion() string { return "" }

func openNative(int) (*Device, error) { return nil, ErrNoNative }

func setBLASThreads(int) {}
