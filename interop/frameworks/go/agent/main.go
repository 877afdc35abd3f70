// An agent of the Go SDK over the binding that BINDING names: `ask` asks, `slow` takes a while, all else comes back.
package main

import (
	"context"
	"fmt"
	"iter"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/grpc"
)

const slow = 12 * time.Second

type echo struct {
	lock  sync.Mutex
	turns map[string]int
}

func (e *echo) turn(context string) int {
	e.lock.Lock()
	defer e.lock.Unlock()
	e.turns[context]++
	return e.turns[context]
}

func (e *echo) Execute(ctx context.Context, at *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		text := at.Message.Parts[0].Text()
		turn := e.turn(at.ContextID)
		if at.StoredTask == nil && !yield(a2a.NewSubmittedTask(at, at.Message), nil) {
			return
		}
		if !yield(a2a.NewStatusUpdateEvent(at, a2a.TaskStateWorking, nil), nil) {
			return
		}
		if text == "ask" {
			question := a2a.NewMessageForTask(a2a.MessageRoleAgent, at, a2a.NewTextPart("Which colour?"))
			yield(a2a.NewStatusUpdateEvent(at, a2a.TaskStateInputRequired, question), nil)
			return
		}
		if text == "slow" {
			select {
			case <-time.After(slow):
			case <-ctx.Done():
				return
			}
		}
		var artifact a2a.ArtifactID
		for _, word := range strings.SplitAfter(fmt.Sprintf("echo: %s (turn %d)", text, turn), " ") {
			event := a2a.NewArtifactUpdateEvent(at, artifact, a2a.NewTextPart(word))
			if artifact == "" {
				event = a2a.NewArtifactEvent(at, a2a.NewTextPart(word))
				artifact = event.Artifact.ID
			}
			if !yield(event, nil) {
				return
			}
		}
		yield(a2a.NewStatusUpdateEvent(at, a2a.TaskStateCompleted, nil), nil)
	}
}

func (*echo) Cancel(ctx context.Context, at *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(at, a2a.TaskStateCanceled, nil), nil)
	}
}

func main() {
	base := "http://127.0.0.1:" + os.Getenv("PORT")
	binding := a2a.TransportProtocol(os.Getenv("BINDING"))
	handler := a2asrv.NewHandler(&echo{turns: map[string]int{}})
	mux := http.NewServeMux()
	address := base
	switch binding {
	case a2a.TransportProtocolJSONRPC:
		address = base + "/invoke"
		mux.Handle("/invoke", a2asrv.NewJSONRPCHandler(handler))
	case a2a.TransportProtocolHTTPJSON:
		mux.Handle("/", a2asrv.NewRESTHandler(handler))
	case a2a.TransportProtocolGRPC:
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			log.Fatal(err)
		}
		address = listener.Addr().String()
		server := grpc.NewServer()
		a2agrpc.NewHandler(handler).RegisterWith(server)
		go func() { log.Fatal(server.Serve(listener)) }()
	}
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(&a2a.AgentCard{
		Name:                "Echo",
		Description:         "Says what it was told.",
		Version:             "1.0.0",
		SupportedInterfaces: []*a2a.AgentInterface{a2a.NewAgentInterface(address, binding)},
		DefaultInputModes:   []string{"text/plain"},
		DefaultOutputModes:  []string{"text/plain"},
		Capabilities:        a2a.AgentCapabilities{Streaming: true},
		Skills:              []a2a.AgentSkill{{ID: "echo", Name: "Echo", Description: "Says it.", Tags: []string{"echo"}}},
	}))
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), mux))
}
