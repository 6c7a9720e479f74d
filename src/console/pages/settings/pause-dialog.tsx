import { useState } from "preact/hooks";
import { post } from "../api/client.ts";
import { zone } from "../kit/zone.ts";
import { ActDialog, ReasonField } from "../parts/act-dialog.tsx";
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
  const [reason, setReason] = useState("");
  const [end, setEnd] = useState<End>("60");
  const [own, setOwn] = useState("");
  const pause = async () => {
    const until = endOf(end, own, new Date())?.toISOString();
    await post("/pause", { body: { work, source, reason, until } });
    onDone();
    return `Paused ${what}.`;
  };
  return (
    <ActDialog
      title={`Pause ${what}?`}
      says="Callbacks are recorded all the same; nothing is lost, it only waits."
      action="Pause"
      run={pause}
      onClose={onClose}
    >
      <ReasonField value={reason} onChange={setReason} isRequired />
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
    </ActDialog>
  );
}
