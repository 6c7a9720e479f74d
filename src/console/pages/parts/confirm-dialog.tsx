import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiProblem } from "../api/problem.ts";
import { tell } from "./notices.tsx";
import { Problem } from "./states.tsx";

interface Question {
  title: string;
  /** What will happen, and what will not. */
  says: ComponentChildren;
  /** On the button: the verb, and of how many. */
  action: string;
  /** It cannot be undone. */
  danger?: boolean;
  /** none: nothing is written down; else it goes to the audit log. */
  reason?: "required" | "optional" | "none";
  /** Does it. @returns what to say when it is done. @throws ApiProblem, which is shown in the dialog */
  run: (reason: string | undefined) => Promise<string>;
}

const open = signal<Question | null>(null);

/** Asks before something is changed, and why; then does it. */
export function confirm(question: Question): void {
  open.value = question;
}

/** Stands once, in the frame. */
export function ConfirmDialog() {
  return open.value === null ? null : <Asking question={open.value} />;
}

function Asking({ question }: { question: Question }) {
  const { title, says, action, danger = false, reason: wanted = "required", run } = question;
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState("");
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    setRunning(true);
    setProblem(null);
    run(reason.trim() === "" ? undefined : reason.trim())
      .then((done) => {
        open.value = null;
        tell(done);
      })
      .catch((error: unknown) => {
        setProblem(error instanceof ApiProblem ? error : new ApiProblem(0, String(error)));
        setRunning(false);
      });
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="dialog-title" onClose={() => closeFor(question)}>
      <form onSubmit={submit}>
        <h2 id="dialog-title">{title}</h2>
        <div class="dialog-says">{says}</div>
        {wanted !== "none" && (
          <label class="field">
            <span>
              Why{" "}
              <small>{wanted === "required" ? "goes to the audit log" : "optional, for the audit log"}</small>
            </span>
            <textarea
              name="reason"
              rows={2}
              maxLength={500}
              required={wanted === "required"}
              value={reason}
              onInput={(event) => setReason(event.currentTarget.value)}
            />
          </label>
        )}
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

function closeFor(question: Question): void {
  if (open.peek() === question) open.value = null;
}
