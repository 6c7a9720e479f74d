import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ApiProblem } from "../api/client.ts";
import { may } from "../api/session.ts";
import { zone } from "../kit/look.ts";
import { timeGiven } from "../kit/time.ts";
import { Choice, Input, TextInput } from "./filters.tsx";
import { notify } from "./notices.tsx";
import { Problem } from "./page.tsx";
import { Icon, type IconName } from "./values.tsx";

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

/** When something ends by itself, in minutes, as one chooses it. */
const ENDS = [
  ["15", "15 minutes"],
  ["60", "1 hour"],
  ["240", "4 hours"],
  ["1440", "1 day"],
  ["own", "At a time of your own"],
] as const;

/** What is chosen; of an input of type datetime-local, when it is a time of one's own. */
const end = signal("60");
const ownEnd = signal("");

/** Before one is asked. */
export function resetEnd(): void {
  end.value = "60";
  ownEnd.value = "";
}

/** null for no end. */
export function endChosen(): Date | null {
  if (end.value === "never") return null;
  return end.value === "own" ? timeGiven(ownEnd.value) : new Date(Date.now() + Number(end.value) * 60_000);
}

/** @param never what it says where there may be no end. */
export const EndFields = ({ never }: { never?: string }) => (
  <>
    <Choice
      label="Ends"
      value={end.value}
      any={null}
      choices={[...ENDS, ...(never === undefined ? [] : [["never", never] as const])]}
      onChange={(chosen) => {
        end.value = chosen;
      }}
    />
    {end.value === "own" && (
      <Input
        label="At"
        hint={zone.value}
        type="datetime-local"
        required
        value={ownEnd.value}
        onInput={(value) => {
          ownEnd.value = value;
        }}
      />
    )}
  </>
);
