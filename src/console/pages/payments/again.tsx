import { post } from "../api/client.ts";
import { may } from "../api/session.ts";
import { confirm } from "../parts/confirm-dialog.tsx";
import { Icon } from "../parts/icon.tsx";

interface AgainProps {
  id: string;
  /** Whether SNS has accepted its event before. */
  wasPublished: boolean;
  onDone: () => void;
}

/** What a person can do to one payment. */
export function Again({ id, wasPublished, onDone }: AgainProps) {
  const run = (verb: "ask" | "publish", done: string) => async (reason: string | undefined) => {
    await post(`/invoices/{id}/${verb}`, { path: { id }, body: { reason } });
    onDone();
    return done;
  };
  return (
    <>
      {may("askAgain") && (
        <button
          type="button"
          class="button"
          onClick={() =>
            confirm({
              title: "Ask the provider again?",
              says: (
                <p>The provider is asked for this invoice now. An event that was published stays as it is.</p>
              ),
              action: "Ask again",
              run: run("ask", "It is asked again. The answer shows up here."),
            })
          }
        >
          <Icon name="replay" />
          Ask again
        </button>
      )}
      {may("publishAgain") && wasPublished && (
        <button
          type="button"
          class="button"
          onClick={() =>
            confirm({
              title: "Publish the event again?",
              says: (
                <p>
                  The same event, under the same id, goes to its topic once more, marked as a replay.
                  Consumers that handle an id once are not disturbed.
                </p>
              ),
              action: "Publish again",
              run: run("publish", "It is published again. The new MessageId shows up here."),
            })
          }
        >
          <Icon name="play" />
          Publish again
        </button>
      )}
    </>
  );
}
