import { Command } from "commander";
import { usageError } from "../../kit/errors.ts";
import { SERVE_REQUIRES } from "../../kit/settings.ts";
import type { CommandContext } from "../command-context.ts";
import { plainJson } from "../terminal-text.ts";

export function serveCommand(context: CommandContext): Command {
  return new Command("serve")
    .description("receive callbacks, confirm them, publish events; stops within 10 s of SIGTERM")
    .option("--no-workers", "receive callbacks only; another process confirms and publishes")
    .option("--workers-only", "confirm and publish only; listens on no port but OPS_PORT")
    .action(async ({ workers, workersOnly }: { workers: boolean; workersOnly?: true }) => {
      if (!workers && workersOnly === true)
        throw usageError("--no-workers and --workers-only together leave nothing to do. Choose one.");
      const settings = context.settings(SERVE_REQUIRES);
      const { endOnUncaught, serve } = await import("../../app/serve.ts");
      const { createLogger } = await import("../../kit/log.ts");
      const log = createLogger({
        level: settings.LOG_LEVEL,
        destination: { write: (line) => void context.stdout.write(plainJson(line)) },
      });
      endOnUncaught(log);
      const stop = context.listenForStop();
      const relay = await serve({ settings, log, workers, http: workersOnly !== true, stop: stop.signal });
      const doing = [workersOnly !== true && "takes callbacks", workers && "confirms and publishes"];
      if (!stop.signal.aborted)
        log.info(
          { port: relay.port, opsPort: relay.opsPort, console: relay.consoleUrl },
          `invoice-relay ${doing.filter(Boolean).join(", ")}`,
        );
      await stop.asked;
      log.info("stopping: no new callbacks; work in progress is finished or given back");
      await stop.finish(relay.stop());
      log.info("stopped");
    });
}
