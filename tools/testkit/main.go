// testkit is the one program in the images of the tests that is none of the engines: it holds pods open, and asks agents.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	command := "pause"
	if len(os.Args) > 1 {
		command = os.Args[1]
	}
	switch command {
	case "pause":
		pause()
	case "ask":
		ask(os.Args[2:])
	default:
		fmt.Fprintln(os.Stderr, "usage: testkit pause | ask")
		os.Exit(2)
	}
}

// pause holds the namespaces of a pod, and reaps what is left to it.
func pause() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	for received := range signals {
		if received != syscall.SIGCHLD {
			os.Exit(0)
		}
		for {
			var status syscall.WaitStatus
			if pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil); pid <= 0 || err != nil {
				break
			}
		}
	}
}
