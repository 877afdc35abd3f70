import org.a2aproject.sdk.client.ClientEvent;
import org.a2aproject.sdk.client.MessageEvent;
import org.a2aproject.sdk.client.TaskEvent;
import org.a2aproject.sdk.client.TaskUpdateEvent;
import org.a2aproject.sdk.client.config.ClientConfig;
import org.a2aproject.sdk.client.http.A2ACardResolver;
import io.grpc.ManagedChannelBuilder;
import org.a2aproject.sdk.client.transport.grpc.GrpcTransport;
import org.a2aproject.sdk.client.transport.grpc.GrpcTransportConfigBuilder;
import org.a2aproject.sdk.client.transport.jsonrpc.JSONRPCTransport;
import org.a2aproject.sdk.client.transport.jsonrpc.JSONRPCTransportConfig;
import org.a2aproject.sdk.client.transport.rest.RestTransport;
import org.a2aproject.sdk.client.transport.rest.RestTransportConfig;
import org.a2aproject.sdk.client.transport.spi.interceptors.ClientCallContext;
import org.a2aproject.sdk.spec.A2AClientException;
import org.a2aproject.sdk.spec.AgentCard;
import org.a2aproject.sdk.spec.Message;
import org.a2aproject.sdk.spec.Task;
import org.a2aproject.sdk.spec.CancelTaskParams;
import org.a2aproject.sdk.spec.TaskQueryParams;
import org.a2aproject.sdk.spec.TaskState;
import org.a2aproject.sdk.spec.TextPart;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The client of the Java SDK (1.0) against the hub, over the binding that BINDING names. */
public class Client {
  private static final BlockingQueue<Task> tasks = new LinkedBlockingQueue<>();
  private static final ClientCallContext context = new ClientCallContext(
      Map.of(), Map.of("Authorization", "Bearer " + System.getenv("HUB_KEY")));

  public static void main(String[] args) throws Exception {
    // It cannot read the card that is for clients of every version.
    AgentCard card = A2ACardResolver.builder().baseUrl(System.getenv("HUB_URL") + "/a2a").build().getAgentCard();
    org.a2aproject.sdk.client.Client waiting = client(card, false);
    org.a2aproject.sdk.client.Client streaming = client(card, true);

    waiting.sendMessage(say("hello there").build(), context);
    Task first = until(TaskState.TASK_STATE_COMPLETED);
    waiting.sendMessage(say("and again").contextId(first.contextId()).build(), context);
    Task second = until(TaskState.TASK_STATE_COMPLETED);
    must(second.contextId().equals(first.contextId()), "a second turn");

    streaming.sendMessage(say("tell me more").build(), context);
    until(TaskState.TASK_STATE_COMPLETED);
    must(true, "a stream");

    waiting.sendMessage(say("ask").build(), context);
    Task asked = until(TaskState.TASK_STATE_INPUT_REQUIRED);
    Message answer = say("blue").taskId(asked.id()).contextId(asked.contextId()).build();
    waiting.sendMessage(answer, context);
    must(until(TaskState.TASK_STATE_COMPLETED).id().equals(asked.id()), "a question and its answer");

    streaming.sendMessage(say("slow").build(), context);
    Task slow = until(TaskState.TASK_STATE_WORKING);
    Task canceled = waiting.cancelTask(new CancelTaskParams(slow.id()), context);
    must(canceled.status().state() == TaskState.TASK_STATE_CANCELED, "a cancel");

    try {
      waiting.getTask(new TaskQueryParams("no-such-task"), context);
      must(false, "an unknown task is not found");
    } catch (A2AClientException refused) {
      must(true, "an unknown task is not found: " + refused.getMessage());
    }
    System.exit(0);
  }

  private static org.a2aproject.sdk.client.Client client(AgentCard card, boolean streams) throws Exception {
    var builder = org.a2aproject.sdk.client.Client.builder(card)
        .clientConfig(ClientConfig.builder().setStreaming(streams).setUseClientPreference(true).build())
        .addConsumer((ClientEvent event, AgentCard of) -> note(event))
        .streamingErrorHandler(error -> { });
    return switch (System.getenv("BINDING")) {
      case "JSONRPC" -> builder.withTransport(JSONRPCTransport.class, new JSONRPCTransportConfig()).build();
      case "GRPC" -> builder.withTransport(GrpcTransport.class, new GrpcTransportConfigBuilder()
          .channelFactory(url -> ManagedChannelBuilder.forTarget(url).usePlaintext().build())).build();
      default -> builder.withTransport(RestTransport.class, new RestTransportConfig()).build();
    };
  }

  private static void note(ClientEvent event) {
    if (event instanceof TaskEvent whole) tasks.add(whole.getTask());
    else if (event instanceof TaskUpdateEvent update) tasks.add(update.getTask());
    else if (event instanceof MessageEvent said) must(false, "a task, not " + said.getMessage());
  }

  private static Message.Builder say(String text) {
    return Message.builder().role(Message.Role.ROLE_USER).parts(new TextPart(text))
        .metadata(Map.of("agentId", System.getenv("AGENT")));
  }

  private static Task until(TaskState state) throws InterruptedException {
    for (;;) {
      Task task = tasks.poll(20, TimeUnit.SECONDS);
      must(task != null, "a task that is " + state);
      if (task.status().state() != state) continue;
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
