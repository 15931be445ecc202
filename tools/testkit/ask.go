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
	"sync"
	"syscall"
	"time"
)

// answer is one line of output for each request.
type answer struct {
	// Which of several clients asked.
	Client string `json:"client,omitempty"`
	// When the request was sent, in milliseconds since 1970.
	At int64 `json:"at"`
	// How long the answer took, in milliseconds.
	Took float64 `json:"took"`
	Good bool    `json:"good"`
	// The answer, or why there is none.
	Text string `json:"text,omitempty"`
}

// ask runs clients beside each other, each with its own arguments, divided by `--`, until each has sent enough or all are told to stop.
func ask(args []string) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	answers := make(chan answer)
	var clients sync.WaitGroup
	for _, of := range divide(args) {
		next := newClient(of)
		clients.Go(func() { next.run(ctx, answers) })
	}
	go func() {
		clients.Wait()
		close(answers)
	}()
	output := json.NewEncoder(os.Stdout)
	failed := false
	for line := range answers {
		failed = failed || !line.Good
		_ = output.Encode(line)
	}
	if failed && ctx.Err() == nil {
		os.Exit(1)
	}
}

func divide(args []string) [][]string {
	groups := [][]string{{}}
	for _, arg := range args {
		if arg == "--" {
			groups = append(groups, nil)
		} else {
			groups[len(groups)-1] = append(groups[len(groups)-1], arg)
		}
	}
	return groups
}

// client sends one request after another.
type client struct {
	asker
	name, body, expect string
	every              time.Duration
	count              int
	quiet              bool
}

func newClient(args []string) *client {
	flags := flag.NewFlagSet("ask", flag.ExitOnError)
	c := &client{}
	flags.StringVar(&c.name, "name", "", "of the client, in every line")
	url := flags.String("url", "", "address for HTTP")
	target := flags.String("grpc", "", "target for gRPC, in place of url: the body is a request to Cerbos")
	flags.StringVar(&c.body, "body", "", "body of a POST; GET when empty")
	flags.StringVar(&c.expect, "expect", "", "text that a good answer contains")
	socket := flags.String("unix", "", "path of a Unix socket to connect to")
	keep := flags.Bool("keep", false, "keep the connection")
	flags.DurationVar(&c.every, "every", 20*time.Millisecond, "pause after each answer")
	timeout := flags.Duration("timeout", time.Second, "how long to wait for an answer")
	flags.IntVar(&c.count, "count", 0, "requests to send; no end when 0")
	flags.BoolVar(&c.quiet, "quiet", false, "good answers are not printed in full")
	_ = flags.Parse(args)

	c.asker = &httpAsker{client: newHttpClient(*socket, *keep, *timeout), url: *url}
	if *target != "" {
		c.asker = &grpcAsker{target: *target, keep: *keep, timeout: *timeout}
	}
	return c
}

func (c *client) run(ctx context.Context, answers chan<- answer) {
	for sent := 0; c.count == 0 || sent < c.count; sent++ {
		started := time.Now()
		text, err := c.ask(c.body)
		line := answer{
			Client: c.name,
			At:     started.UnixMilli(),
			Took:   float64(time.Since(started).Microseconds()) / 1000,
			Good:   err == nil && strings.Contains(text, c.expect),
		}
		if err != nil {
			line.Text = err.Error()
		} else if !line.Good || !c.quiet {
			line.Text = strings.TrimSpace(text)
		}
		answers <- line
		select {
		case <-ctx.Done():
			return
		case <-time.After(c.every):
		}
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

func newHttpClient(socket string, keep bool, timeout time.Duration) *http.Client {
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
