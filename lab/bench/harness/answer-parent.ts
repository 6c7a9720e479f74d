/** What a process of the bench can be asked to do, by name. */
export type Calls = Record<string, (argument: never) => unknown>;

export interface CallMessage {
  number: number;
  name: string;
  argument: unknown;
}

export interface AnswerMessage {
  number: number;
  result?: unknown;
  error?: string;
}

/**
 * The child's side: answers the parent's calls, and ends when the parent does, however that ends. Ctrl-C is
 * left to the parent, which stops its children in order.
 */
export function answerParent(calls: Calls): void {
  process.on("SIGINT", () => undefined);
  process.on("disconnect", () => process.exit());
  process.on("message", async ({ number, name, argument }: CallMessage) => {
    const answer: AnswerMessage = { number };
    try {
      answer.result = await calls[name]?.(argument as never);
    } catch (error) {
      answer.error = error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
    // The parent may have gone meanwhile; "disconnect" then ends this process.
    if (process.connected) process.send?.(answer, undefined, undefined, () => undefined);
  });
}
