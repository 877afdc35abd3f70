import io.a2a.client.ClientEvent;
import io.a2a.client.MessageEvent;
import io.a2a.client.TaskEvent;
import io.a2a.client.TaskUpdateEvent;
import io.a2a.client.config.ClientConfig;
import io.a2a.client.http.A2ACardResolver;
import io.a2a.client.transport.jsonrpc.JSONRPCTransport;
import io.a2a.client.transport.jsonrpc.JSONRPCTransportConfig;
import io.a2a.client.transport.rest.RestTransport;
import io.a2a.client.transport.rest.RestTransportConfig;
import io.a2a.client.transport.spi.interceptors.ClientCallContext;
import io.a2a.spec.A2AClientException;
import io.a2a.spec.AgentCard;
import io.a2a.spec.Message;
import io.a2a.spec.Task;
import io.a2a.spec.TaskIdParams;
import io.a2a.spec.TaskQueryParams;
import io.a2a.spec.TaskState;
import io.a2a.spec.TextPart;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The client of the Java SDK (0.3) against the hub, over the binding that BINDING names. */
public class Client {
  private static final BlockingQueue<Task> tasks = new LinkedBlockingQueue<>();
  private static final ClientCallContext context = new ClientCallContext(
      Map.of(), Map.of("Authorization", "Bearer " + System.getenv("HUB_KEY")));

  public static void main(String[] args) throws Exception {
    AgentCard card = new A2ACardResolver(System.getenv("HUB_URL")).getAgentCard();
    io.a2a.client.Client waiting = client(card, false);
    io.a2a.client.Client streaming = client(card, true);

    waiting.sendMessage(say("hello there").build(), context);
    Task first = until(TaskState.COMPLETED);
    waiting.sendMessage(say("and again").contextId(first.getContextId()).build(), context);
    Task second = until(TaskState.COMPLETED);
    must(second.getContextId().equals(first.getContextId()), "a second turn");

    streaming.sendMessage(say("tell me more").build(), context);
    until(TaskState.COMPLETED);
    must(true, "a stream");

    waiting.sendMessage(say("ask").build(), context);
    Task asked = until(TaskState.INPUT_REQUIRED);
    Message answer = say("blue").taskId(asked.getId()).contextId(asked.getContextId()).build();
    waiting.sendMessage(answer, context);
    must(until(TaskState.COMPLETED).getId().equals(asked.getId()), "a question and its answer");

    streaming.sendMessage(say("slow").build(), context);
    Task slow = until(TaskState.WORKING);
    Task canceled = waiting.cancelTask(new TaskIdParams(slow.getId()), context);
    must(canceled.getStatus().state() == TaskState.CANCELED, "a cancel");

    try {
      waiting.getTask(new TaskQueryParams("no-such-task"), context);
      must(false, "an unknown task is not found");
    } catch (A2AClientException refused) {
      must(true, "an unknown task is not found: " + refused.getMessage());
    }
    System.exit(0);
  }

  private static io.a2a.client.Client client(AgentCard card, boolean streams) throws Exception {
    var builder = io.a2a.client.Client.builder(card)
        .clientConfig(new ClientConfig.Builder().setStreaming(streams).setUseClientPreference(true).build())
        .addConsumer((ClientEvent event, AgentCard of) -> note(event))
        .streamingErrorHandler(error -> { });
    return System.getenv("BINDING").equals("JSONRPC")
        ? builder.withTransport(JSONRPCTransport.class, new JSONRPCTransportConfig()).build()
        : builder.withTransport(RestTransport.class, new RestTransportConfig()).build();
  }

  private static void note(ClientEvent event) {
    if (event instanceof TaskEvent whole) tasks.add(whole.getTask());
    else if (event instanceof TaskUpdateEvent update) tasks.add(update.getTask());
    else if (event instanceof MessageEvent said) must(false, "a task, not " + said.getMessage());
  }

  private static Message.Builder say(String text) {
    return new Message.Builder().role(Message.Role.USER).parts(new TextPart(text))
        .metadata(Map.of("agentId", System.getenv("AGENT")));
  }

  private static Task until(TaskState state) throws InterruptedException {
    for (;;) {
      Task task = tasks.poll(20, TimeUnit.SECONDS);
      must(task != null, "a task that is " + state);
      if (task.getStatus().state() != state) continue;
      // What is left is of the same task.
      if (state.isFinal()) tasks.clear();
      return task;
    }
  }

  private static void must(boolean ok, String what) {
    if (ok) {
      if (!what.startsWith("a task")) System.out.println("  ok " + what);
      return;
    }
    System.out.println("FAILED " + what);
    System.exit(1);
  }
}
