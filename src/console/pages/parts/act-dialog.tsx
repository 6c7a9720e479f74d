import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ApiProblem } from "../api/problem.ts";
import { tell } from "./notices.tsx";
import { Problem } from "./states.tsx";
import { Told } from "./told.tsx";

export interface ActDialogProps {
  title: string;
  /** What will happen, and what will not. */
  says: ComponentChildren;
  /** On the button: the verb, and of how many. */
  action: string;
  /** It cannot be undone. */
  danger?: boolean;
  /** Does it. @returns what to say when it is done. @throws ApiProblem, which is shown in the dialog */
  run: () => Promise<string>;
  /** Called when it is done, and when it is not to be. */
  onClose: () => void;
  /** What is to be filled in. */
  children?: ComponentChildren;
}

/** Asks before something is changed, then does it. */
export function ActDialog({ title, says, action, danger = false, run, onClose, children }: ActDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const submit = (event: Event) => {
    event.preventDefault();
    setRunning(true);
    setProblem(null);
    run()
      .then((done) => {
        onClose();
        tell(done);
      })
      .catch((error: unknown) => {
        setProblem(error instanceof ApiProblem ? error : new ApiProblem(0, String(error)));
        setRunning(false);
      });
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={titleId} onClose={onClose}>
      <form onSubmit={submit}>
        <h2 id={titleId}>{title}</h2>
        <div class="dialog-says">{says}</div>
        {children}
        {problem !== null && <Problem problem={problem} />}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button
            type="submit"
            class={danger ? "button is-danger" : "button is-primary"}
            disabled={isRunning}
          >
            {isRunning ? "Working…" : action}
          </button>
        </div>
      </form>
    </dialog>
  );
}

interface ReasonFieldProps {
  value: string;
  onChange: (reason: string) => void;
  isRequired: boolean;
}

/** Why somebody does it. */
export const ReasonField = ({ value, onChange, isRequired }: ReasonFieldProps) => (
  <label class="field">
    <span>
      Why <small>{isRequired ? "goes to the audit log" : "optional, for the audit log"}</small>
    </span>
    <textarea
      name="reason"
      rows={2}
      maxLength={500}
      required={isRequired}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
    <Told text={value} />
  </label>
);
