package report

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// chromium is the browser that the page is tried in, where there is one.
const chromium = "/usr/bin/chromium"

// browser is a headless Chromium with one tab, driven over the pipe of its
// DevTools protocol: JSON messages that each end in a zero byte.
type browser struct {
	t       testing.TB
	out     io.Writer
	session string // of the tab

	mu       sync.Mutex
	last     int
	replies  map[int]chan reply
	events   map[string]chan struct{} // closed when an event of the name comes
	troubles []string                 // errors on the console and exceptions
}

type reply struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// openBrowser starts Chromium and stops it when the test ends. The test is
// skipped if it is not installed.
func openBrowser(t testing.TB) *browser {
	t.Helper()
	if _, err := os.Stat(chromium); err != nil {
		t.Skipf("no Chromium: %v", err)
	}
	commands, commandsOut := pipe(t)
	eventsIn, events := pipe(t)
	cmd := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
		"--no-first-run", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir())
	cmd.ExtraFiles = []*os.File{commands, events} // descriptors 3 and 4
	if err := cmd.Start(); err != nil {
		t.Skipf("Chromium does not start: %v", err)
	}
	commands.Close()
	events.Close()
	b := &browser{t: t, out: commandsOut, replies: make(map[int]chan reply), events: make(map[string]chan struct{})}
	go b.read(eventsIn)
	t.Cleanup(func() {
		b.send("Browser.close", nil)
		commandsOut.Close()
		stop := time.AfterFunc(5*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		stop.Stop()
	})
	b.openTab()
	return b
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

func (b *browser) openTab() {
	b.t.Helper()
	var target struct{ TargetID string }
	b.do("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.do("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.do(domain+".enable", nil, nil)
	}
}

// read takes in messages until the browser closes the pipe.
func (b *browser) read(in io.Reader) {
	r := bufio.NewReader(in)
	for {
		data, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID     int
			Method string
			Params json.RawMessage
			reply
		}
		if err := json.Unmarshal(data[:len(data)-1], &m); err != nil {
			continue
		}
		b.mu.Lock()
		if c, ok := b.replies[m.ID]; ok && m.Method == "" {
			c <- m.reply
			delete(b.replies, m.ID)
		}
		b.note(m.Method, m.Params)
		b.mu.Unlock()
	}
}

// note remembers what went wrong in the page and wakes who waits for an event.
func (b *browser) note(method string, params json.RawMessage) {
	switch method {
	case "Runtime.exceptionThrown":
		b.troubles = append(b.troubles, string(params))
	case "Runtime.consoleAPICalled", "Log.entryAdded":
		if s := string(params); strings.Contains(s, `"error"`) || strings.Contains(s, `"warning"`) {
			b.troubles = append(b.troubles, s)
		}
	}
	if c, ok := b.events[method]; ok {
		close(c)
		delete(b.events, method)
	}
}

// send sends a command and returns where its reply will come.
func (b *browser) send(method string, params any) (chan reply, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	m := map[string]any{"id": b.last, "method": method}
	if params != nil {
		m["params"] = params
	}
	if b.session != "" && method != "Browser.close" {
		m["sessionId"] = b.session
	}
	data, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	c := make(chan reply, 1)
	b.replies[b.last] = c
	_, err = b.out.Write(append(data, 0))
	return c, err
}

// do sends a command and decodes its result into result unless that is nil.
func (b *browser) do(method string, params, result any) {
	b.t.Helper()
	if err := b.try(method, params, result); err != nil {
		b.t.Fatalf("Chromium: %s: %v", method, err)
	}
}

func (b *browser) try(method string, params, result any) error {
	c, err := b.send(method, params)
	if err != nil {
		return err
	}
	select {
	case r := <-c:
		switch {
		case r.Error != nil:
			return errors.New(r.Error.Message)
		case result != nil:
			return json.Unmarshal(r.Result, result)
		}
		return nil
	case <-time.After(15 * time.Second):
		return errors.New("no reply")
	}
}

// open loads a page in a window of a size in CSS pixels, in light or dark, and
// waits until it is there.
func (b *browser) open(url string, width, height int, scheme string) {
	b.t.Helper()
	b.do("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
	}, nil)
	b.do("Emulation.setEmulatedMedia", map[string]any{
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}},
	}, nil)
	loaded := make(chan struct{})
	b.mu.Lock()
	b.events["Page.loadEventFired"] = loaded
	b.mu.Unlock()
	b.do("Page.navigate", map[string]any{"url": url}, nil)
	select {
	case <-loaded:
	case <-time.After(15 * time.Second):
		b.t.Fatalf("Chromium does not load %s", url)
	}
}

// eval runs an expression in the page and decodes its value into result.
func (b *browser) eval(expression string, result any) {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct{ Text string }
	}
	b.do("Runtime.evaluate", map[string]any{
		"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true,
	}, &r)
	if r.ExceptionDetails != nil {
		b.t.Fatalf("evaluating %s: %s: %s", expression, r.ExceptionDetails.Text, r.Result.Value)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(r.Result.Value, result); err != nil {
		b.t.Fatalf("evaluating %s: %v", expression, err)
	}
}

// press presses and releases a key in the page.
func (b *browser) press(key string, code int) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		params := map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}
		if key == "Enter" && kind == "keyDown" {
			params["text"] = "\r"
		}
		b.do("Input.dispatchKeyEvent", params, nil)
	}
}

// screenshot returns a PNG of the window, or of the whole page.
func (b *browser) screenshot(whole bool) []byte {
	b.t.Helper()
	var shot struct{ Data string }
	b.do("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": whole}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	return data
}

// takeTroubles returns what went wrong in the page since the last call.
func (b *browser) takeTroubles() error {
	b.eval("new Promise(done => setTimeout(done, 20))", nil) // let late reports arrive
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.troubles) == 0 {
		return nil
	}
	err := fmt.Errorf("%s", strings.Join(b.troubles, "\n"))
	b.troubles = nil
	return err
}
