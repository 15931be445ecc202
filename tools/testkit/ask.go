package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// answer is one line of output for each request.
type answer struct {
	// When the request was sent, in milliseconds since 1970.
	At int64 `json:"at"`
	// How long the answer took, in milliseconds.
	Took float64 `json:"took"`
	Good bool    `json:"good"`
	// The answer, or why there is none.
	Text string `json:"text"`
}

// ask sends one request after another until it is told to stop or has sent enough, and prints a line for each.
func ask(args []string) {
	flags := flag.NewFlagSet("ask", flag.ExitOnError)
	url := flags.String("url", "", "address for HTTP")
	target := flags.String("grpc", "", "target for gRPC, in place of url: the body is a request to Cerbos")
	body := flags.String("body", "", "body of a POST; GET when empty")
	expect := flags.String("expect", "", "text that a good answer contains")
	socket := flags.String("unix", "", "path of a Unix socket to connect to")
	keep := flags.Bool("keep", false, "keep the connection")
	every := flags.Duration("every", 20*time.Millisecond, "pause after each answer")
	timeout := flags.Duration("timeout", time.Second, "how long to wait for an answer")
	count := flags.Int("count", 0, "requests to send; no end when 0")
	_ = flags.Parse(args)

	var asker asker = &httpAsker{client: newClient(*socket, *keep, *timeout), url: *url}
	if *target != "" {
		asker = &grpcAsker{target: *target, keep: *keep, timeout: *timeout}
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	output := json.NewEncoder(os.Stdout)
	failed := false
	for sent := 0; *count == 0 || sent < *count; sent++ {
		started := time.Now()
		text, err := asker.ask(*body)
		line := answer{
			At:   started.UnixMilli(),
			Took: float64(time.Since(started).Microseconds()) / 1000,
			Good: err == nil && strings.Contains(text, *expect),
			Text: strings.TrimSpace(text),
		}
		if err != nil {
			line.Text = err.Error()
		}
		failed = failed || !line.Good
		_ = output.Encode(line)
		select {
		case <-stop:
			return
		case <-time.After(*every):
		}
	}
	if failed {
		os.Exit(1)
	}
}

// asker sends a request and returns the answer.
type asker interface {
	ask(body string) (string, error)
}

type httpAsker struct {
	client *http.Client
	url    string
}

func newClient(socket string, keep bool, timeout time.Duration) *http.Client {
	dialer := net.Dialer{Timeout: timeout}
	transport := &http.Transport{DisableKeepAlives: !keep, MaxIdleConnsPerHost: 1}
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if socket != "" {
			return dialer.DialContext(ctx, "unix", socket)
		}
		return dialer.DialContext(ctx, network, address)
	}
	return &http.Client{Transport: transport, Timeout: timeout}
}

func (a *httpAsker) ask(body string) (string, error) {
	method, reader := http.MethodGet, io.Reader(nil)
	if body != "" {
		method, reader = http.MethodPost, strings.NewReader(body)
	}
	request, err := http.NewRequest(method, a.url, reader)
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	// A question may be asked again: so it is, when the server closes a kept connection just as it is sent. Not sent itself.
	request.Header["Idempotency-Key"] = []string{}
	response, err := a.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %s", response.StatusCode, strings.TrimSpace(string(text)))
	}
	return string(text), err
}
