import org.a2aproject.sdk.server.PublicAgentCard;
import org.a2aproject.sdk.server.agentexecution.AgentExecutor;
import org.a2aproject.sdk.server.agentexecution.RequestContext;
import org.a2aproject.sdk.server.tasks.AgentEmitter;
import org.a2aproject.sdk.spec.AgentCapabilities;
import org.a2aproject.sdk.spec.AgentCard;
import org.a2aproject.sdk.spec.AgentInterface;
import org.a2aproject.sdk.spec.AgentSkill;
import org.a2aproject.sdk.spec.FilePart;
import org.a2aproject.sdk.spec.FileWithBytes;
import org.a2aproject.sdk.spec.Part;
import org.a2aproject.sdk.spec.TextPart;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** An agent of the Java SDK (1.0) on its own Quarkus server, over the binding that BINDING names. */
@ApplicationScoped
public class EchoAgent implements AgentExecutor {
  private static final long SLOW_MS = 12_000;
  private final Map<String, Integer> turns = new ConcurrentHashMap<>();
  private final Set<String> canceled = ConcurrentHashMap.newKeySet();

  @Produces
  @PublicAgentCard
  public AgentCard card() {
    String binding = System.getenv().getOrDefault("BINDING", "JSONRPC");
    String url = (binding.equals("GRPC") ? "" : "http://") + "127.0.0.1:" + System.getenv("PORT");
    AgentSkill skill = AgentSkill.builder()
        .id("echo").name("Echo").description("Says it.").tags(List.of("echo")).build();
    return AgentCard.builder()
        .name("Echo").description("Says what it was told.").version("1.0.0")
        .supportedInterfaces(List.of(new AgentInterface(binding, url)))
        .capabilities(AgentCapabilities.builder().streaming(true).build())
        .defaultInputModes(List.of("text/plain")).defaultOutputModes(List.of("text/plain"))
        .skills(List.of(skill)).build();
  }

  @Override
  public void execute(RequestContext context, AgentEmitter updater) {
    String text = context.getUserInput("");
    int turn = turns.merge(context.getContextId(), 1, Integer::sum);
    if (context.getTask() == null) updater.submit();
    updater.startWork();
    if (text.equals("ask")) {
      updater.requiresInput(updater.newAgentMessage(List.of(new TextPart("Which colour?")), null), true);
      return;
    }
    for (Part<?> part : context.getMessage().parts()) {
      if (!(part instanceof FilePart given) || !(given.file() instanceof FileWithBytes file)) continue;
      updater.addArtifact(reversed(file));
      updater.complete();
      return;
    }
    if (text.equals("slow") && !isLeftToWork(context.getTaskId())) return;
    String[] words = ("echo: " + text + " (turn " + turn + ")").split("(?<= )");
    for (int index = 0; index < words.length; index++) {
      List<Part<?>> parts = List.of(new TextPart(words[index]));
      updater.addArtifact(parts, "echo", null, null, index > 0, index == words.length - 1);
    }
    updater.complete();
  }

  @Override
  public void cancel(RequestContext context, AgentEmitter updater) {
    canceled.add(context.getTaskId());
    updater.cancel();
  }

  /** Takes its time; false when the task is canceled meanwhile. */
  private boolean isLeftToWork(String taskId) {
    long end = System.currentTimeMillis() + SLOW_MS;
    while (System.currentTimeMillis() < end && !canceled.contains(taskId)) {
      try {
        Thread.sleep(50);
      } catch (InterruptedException interrupted) {
        return false;
      }
    }
    return !canceled.remove(taskId);
  }

  /** What came, in words, and a file with its bytes the other way round. */
  private static List<Part<?>> reversed(FileWithBytes file) {
    byte[] came = Base64.getDecoder().decode(file.bytes());
    byte[] turned = new byte[came.length];
    for (int index = 0; index < came.length; index++) turned[index] = came[came.length - 1 - index];
    String content = Base64.getEncoder().encodeToString(turned);
    String told = "came: " + HexFormat.of().formatHex(came);
    var sent = new FilePart(new FileWithBytes("application/octet-stream", "reversed", content));
    return List.of(new TextPart(told), sent);
  }
}
