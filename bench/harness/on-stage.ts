import { Stage } from "./stage.ts";

/** Runs the work on a stage and clears it away afterwards, also after a failure, Ctrl-C or SIGTERM. */
export async function onStage<Result>(work: (stage: Stage) => Promise<Result>): Promise<Result> {
  const stage = new Stage();
  const interrupted = Promise.withResolvers<never>();
  const interrupt = () => interrupted.reject(new Error("stopped before its end"));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, interrupt);
  const begun = stage.begin();
  try {
    return await Promise.race([begun.then(() => work(stage)), interrupted.promise]);
  } finally {
    // What is only half up cannot be taken down.
    await begun.catch(() => undefined);
    await stage.end();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt);
  }
}
