import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ApiProblem } from "../api/client.ts";
import { may } from "../api/session.ts";
import { TextInput } from "./filters.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { notify } from "./notices.tsx";
import { Problem } from "./page.tsx";

interface Question {
  question: string;
  /** What will happen, and what will not. */
  says: string;
  /** On the button: the verb, and of how many. */
  action: string;
  /** What is to be filled in beside the reason. */
  fields?: ComponentChildren;
  /**
   * Does it. @param reason goes to the audit log.
   * @returns what to say when it is done. @throws ApiProblem, which is shown in the dialog
   */
  run: (reason: string | undefined) => Promise<string>;
}

interface ActButtonProps extends Question {
  /** The operation of the admin API: no button for whoever may not. */
  operation: string;
  /** On the button that asks. */
  title: string;
  /** Who cannot see where the button stands hears this. */
  label?: string;
  icon?: IconName;
  isMain?: boolean | undefined;
  isDisabled?: boolean;
  /** Called before it is asked. */
  onAsk?: () => void;
}

/** A button that changes something, once it was asked why. */
export function ActButton(props: ActButtonProps) {
  const { operation, title, label, icon, isMain = false, isDisabled = false, onAsk, ...question } = props;
  if (!may(operation)) return null;
  return (
    <button
      type="button"
      class={isMain ? "button is-primary" : "button"}
      aria-label={label}
      disabled={isDisabled}
      onClick={() => {
        onAsk?.();
        confirm(question);
      }}
    >
      {icon !== undefined && <Icon name={icon} />}
      {title}
    </button>
  );
}

const asked = signal<Question | null>(null);

/** Asks before something is changed, and why; then does it. */
export function confirm(question: Question): void {
  asked.value = question;
}

/** Stands once, in the frame. */
export const ConfirmDialog = () => asked.value !== null && <Asking {...asked.value} />;

function Asking({ question, says, action, fields, run }: Question) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [reason, setReason] = useState("");
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => {
    asked.value = null;
  };
  const submit = (event: Event) => {
    event.preventDefault();
    setRunning(true);
    setProblem(null);
    run(reason.trim() || undefined)
      .then((done) => {
        close();
        notify(done);
      })
      .catch((error: unknown) => {
        setProblem(ApiProblem.of(error));
        setRunning(false);
      });
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={titleId} onClose={close}>
      <form onSubmit={submit}>
        <h2 id={titleId}>{question}</h2>
        <p class="quiet">{says}</p>
        <TextInput
          label="Why"
          hint="goes to the audit log"
          value={reason}
          onInput={setReason}
          maxLength={500}
          isRequired
        />
        {fields}
        {problem !== null && <Problem problem={problem} />}
        <div class="row dialog-actions">
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class="button is-primary" disabled={isRunning}>
            {isRunning ? "Working…" : action}
          </button>
        </div>
      </form>
    </dialog>
  );
}
