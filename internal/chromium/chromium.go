// Package chromium lets tests open pages in a headless Chromium and query what a reader would see. The tests are
// skipped if Chromium is not installed.
package chromium

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

// program is the path of the browser.
const program = "/usr/bin/chromium"

// Browser is a headless Chromium with one tab, driven over the pipe of its DevTools protocol: JSON messages, each
// terminated by a zero byte. An error in the browser fails the test.
type Browser struct {
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

// Open starts Chromium and stops it when the test ends. The test is
// skipped if it is not installed.
func Open(t testing.TB) *Browser {
	t.Helper()
	if _, err := os.Stat(program); err != nil {
		t.Skipf("no Chromium: %v", err)
	}
	commands, commandsOut := pipe(t)
	eventsIn, events := pipe(t)
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
		"--no-first-run", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir())
	cmd.ExtraFiles = []*os.File{commands, events} // descriptors 3 and 4
	if err := cmd.Start(); err != nil {
		t.Skipf("Chromium does not start: %v", err)
	}
	commands.Close()
	events.Close()
	b := &Browser{t: t, out: commandsOut, replies: make(map[int]chan reply), events: make(map[string]chan struct{})}
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

func (b *Browser) openTab() {
	b.t.Helper()
	var target struct{ TargetID string }
	b.Do("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.Do("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.Do(domain+".enable", nil, nil)
	}
}

// read handles messages until the browser closes the pipe.
func (b *Browser) read(in io.Reader) {
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

// note records errors in the page, and wakes those who wait for an event.
func (b *Browser) note(method string, params json.RawMessage) {
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

// send sends a command and returns the channel of its reply.
func (b *Browser) send(method string, params any) (chan reply, error) {
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

// Do sends a command and decodes its result into result, unless that is nil.
func (b *Browser) Do(method string, params, result any) {
	b.t.Helper()
	if err := b.try(method, params, result); err != nil {
		b.t.Fatalf("Chromium: %s: %v", method, err)
	}
}

func (b *Browser) try(method string, params, result any) error {
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

// Load loads a page in a window whose size is in CSS pixels, with a light or dark colour scheme, and waits until it
// has loaded.
func (b *Browser) Load(url string, width, height int, scheme string) {
	b.t.Helper()
	b.Do("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
	}, nil)
	b.Do("Emulation.setEmulatedMedia", map[string]any{
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}},
	}, nil)
	loaded := make(chan struct{})
	b.mu.Lock()
	b.events["Page.loadEventFired"] = loaded
	b.mu.Unlock()
	b.Do("Page.navigate", map[string]any{"url": url}, nil)
	select {
	case <-loaded:
	case <-time.After(15 * time.Second):
		b.t.Fatalf("Chromium does not load %s", url)
	}
}

// Eval runs an expression in the page and decodes its value into result.
func (b *Browser) Eval(expression string, result any) {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct{ Text string }
	}
	b.Do("Runtime.evaluate", map[string]any{
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

// Press presses and releases a key in the page.
func (b *Browser) Press(key string, code int) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		params := map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}
		if key == "Enter" && kind == "keyDown" {
			params["text"] = "\r"
		}
		b.Do("Input.dispatchKeyEvent", params, nil)
	}
}

// Screenshot returns a PNG of the window, or of the whole page.
func (b *Browser) Screenshot(whole bool) []byte {
	b.t.Helper()
	var shot struct{ Data string }
	b.Do("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": whole}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	return data
}

// Troubles returns the errors in the page since the last call.
func (b *Browser) Troubles() error {
	b.Eval("new Promise(done => setTimeout(done, 20))", nil) // let late reports arrive
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.troubles) == 0 {
		return nil
	}
	err := fmt.Errorf("%s", strings.Join(b.troubles, "\n"))
	b.troubles = nil
	return err
}

// Print emulates the print layout of the page.
func (b *Browser) Print() {
	b.t.Helper()
	b.Do("Emulation.setEmulatedMedia", map[string]any{"media": "print"}, nil)
}

// Click clicks on the first element that a selector finds.
func (b *Browser) Click(selector string) {
	b.t.Helper()
	quoted, _ := json.Marshal(selector) // a string can always be encoded
	var at struct{ X, Y float64 }
	b.Eval(`(() => {
		const e = document.querySelector(`+string(quoted)+`);
		e.scrollIntoView({ block: 'center', behavior: 'instant' });
		const r = e.getBoundingClientRect();
		return { X: r.x + r.width / 2, Y: r.y + r.height / 2 };
	})()`, &at)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		b.Do("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left",
			"clickCount": 1}, nil)
	}
}
