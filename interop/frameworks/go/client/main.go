// The client of the Go SDK against the hub, over the binding that BINDING names: send, stream, second turn,
// question, cancel, resume, and the errors that a client tells apart.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

func say(text string) *a2a.SendMessageRequest {
	message := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(text))
	return &a2a.SendMessageRequest{Message: message, Metadata: map[string]any{"agentId": os.Getenv("AGENT")}}
}

func must(ok bool, what string, found ...any) {
	if !ok {
		log.Fatalf("FAILED %s %+v", what, found)
	}
	fmt.Println("  ok", what)
}

func main() {
	ctx, stop := context.WithTimeout(context.Background(), 60*time.Second)
	defer stop()
	ctx = a2aclient.AttachServiceParams(ctx, a2aclient.ServiceParams{"authorization": {"Bearer " + os.Getenv("HUB_KEY")}})
	card, err := agentcard.DefaultResolver.Resolve(ctx, os.Getenv("HUB_URL"))
	must(err == nil, "the card is read", err)
	binding := a2a.TransportProtocol(os.Getenv("BINDING"))
	client, err := a2aclient.NewFromCard(ctx, card,
		a2aclient.WithConfig(a2aclient.Config{PreferredTransports: []a2a.TransportProtocol{binding}}),
		a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())))
	must(err == nil, "a client is made", err)

	first := send(ctx, client, say("hello there"), a2a.TaskStateCompleted)
	again := say("and again")
	again.Message.ContextID = first.ContextID
	second := send(ctx, client, again, a2a.TaskStateCompleted)
	must(strings.Contains(textOf(second), "turn 2"), "a second turn", textOf(second))

	events := 0
	for event, err := range client.SendStreamingMessage(ctx, say("tell me more")) {
		if err != nil || event == nil {
			log.Fatalf("FAILED an event %+v", err)
		}
		events++
	}
	must(events > 2, "a stream")

	asked := send(ctx, client, say("ask"), a2a.TaskStateInputRequired)
	answer := say("blue")
	answer.Message.TaskID = asked.ID
	send(ctx, client, answer, a2a.TaskStateCompleted)

	slow := say("slow")
	slow.Config = &a2a.SendMessageConfig{ReturnImmediately: true}
	result, err := client.SendMessage(ctx, slow)
	must(err == nil, "a send without waiting", err)
	task := result.(*a2a.Task)
	time.Sleep(time.Second)
	canceled, err := client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: task.ID})
	must(err == nil && canceled.Status.State == a2a.TaskStateCanceled, "a cancel", err)

	_, err = client.GetTask(ctx, &a2a.GetTaskRequest{ID: "no-such-task"})
	must(errors.Is(err, a2a.ErrTaskNotFound), "an unknown task is not found", err)
	_, err = client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: task.ID})
	must(errors.Is(err, a2a.ErrTaskNotCancelable), "an ended task cannot be canceled", err)
	list, err := client.ListTasks(ctx, &a2a.ListTasksRequest{})
	must(err == nil && len(list.Tasks) > 3, "a list", err)
}

func send(ctx context.Context, client *a2aclient.Client, request *a2a.SendMessageRequest, state a2a.TaskState) *a2a.Task {
	result, err := client.SendMessage(ctx, request)
	must(err == nil, "a send", err)
	task, _ := result.(*a2a.Task)
	must(task != nil && task.Status.State == state, "the task is "+state.String(), result)
	return task
}

func textOf(task *a2a.Task) string {
	text := ""
	for _, artifact := range task.Artifacts {
		for _, part := range artifact.Parts {
			text += part.Text()
		}
	}
	return text
}
