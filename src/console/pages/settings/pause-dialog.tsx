import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "../api/client.ts";
import { ApiProblem } from "../api/problem.ts";
import { zone } from "../kit/zone.ts";
import { tell } from "../parts/notices.tsx";
import { Problem } from "../parts/states.tsx";
import { ENDS, type End, endOf } from "./pause-ends.ts";

export interface Pausing {
  work: "confirm" | "publish";
  source: string;
  /** "asking the provider of default" */
  what: string;
}

interface PauseDialogProps {
  pausing: Pausing;
  onClose: () => void;
  onDone: () => void;
}

/** Asks why, and when the pause ends. */
export function PauseDialog({ pausing: { work, source, what }, onClose, onDone }: PauseDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState("");
  const [end, setEnd] = useState<End>("60");
  const [own, setOwn] = useState("");
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [isRunning, setRunning] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);

  const pause = async (event: Event) => {
    event.preventDefault();
    const until = endOf(end, own, new Date())?.toISOString();
    setRunning(true);
    try {
      await post("/pause", { work, source, reason: reason.trim(), ...(until !== undefined && { until }) });
      tell(`Paused ${what}.`);
      onDone();
      onClose();
    } catch (error) {
      setProblem(error instanceof ApiProblem ? error : new ApiProblem(0, String(error)));
      setRunning(false);
    }
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="pause-title" onClose={onClose}>
      <form onSubmit={(event) => void pause(event)}>
        <h2 id="pause-title">Pause {what}?</h2>
        <p class="dialog-says">Callbacks are recorded all the same; nothing is lost, it only waits.</p>
        <label class="field">
          <span>
            Why <small>goes to the audit log</small>
          </span>
          <textarea
            rows={2}
            required
            maxLength={500}
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>Ends</span>
          <select value={end} onChange={(event) => setEnd(event.currentTarget.value as End)}>
            {ENDS.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
        {end === "own" && (
          <label class="field">
            <span>
              At <small>{zone.value}</small>
            </span>
            <input
              type="datetime-local"
              required
              value={own}
              onInput={(event) => setOwn(event.currentTarget.value)}
            />
          </label>
        )}
        {problem !== null && <Problem problem={problem} />}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class="button is-primary" disabled={isRunning}>
            {isRunning ? "Working…" : "Pause"}
          </button>
        </div>
      </form>
    </dialog>
  );
}
