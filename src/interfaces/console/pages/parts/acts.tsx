import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { may, type Progress } from "../api/client.ts";
import { now, timeGiven, zone } from "../kit/time.ts";
import { Fields, type FormField, useTask, useValues, type Values } from "./form.tsx";
import { summaryOf } from "./operations.ts";
import { Dialog, notify, Problem, ProgressShown } from "./page.tsx";
import { Button, type IconName } from "./values.tsx";

/** Something that changes something: in words, what is asked before, and how it is done. */
export interface Act {
  /** The operation of the admin API: a session that may not run it sees no button. */
  operation: string;
  /** The verb, on the button that asks and the one that does. */
  title: string;
  isMain?: boolean | undefined;
  /** Fields beside the reason, by the values filled in so far. */
  fields?: ((values: Values) => readonly FormField[]) | undefined;
}

export type OnProgress = (progress: Progress) => void;

interface Question extends Pick<Act, "operation" | "fields"> {
  question: string;
  /** Instead of what its operation does. */
  says?: string | undefined;
  /** On the button: the verb, and of how many. */
  action: string;
  /**
   * Does it. @param reason goes to the audit log.
   * @param onProgress is told how far it is, if it takes long.
   * @returns what to say when it is done. @throws ApiProblem, which is shown in the dialog
   */
  run: (reason: string | undefined, values: Values, onProgress: OnProgress) => Promise<string>;
}

interface ActButtonProps extends Act, Omit<Question, "action"> {
  action?: string;
  /** A label for screen readers. */
  label?: string;
  icon?: IconName;
  isDisabled?: boolean;
}

/** A button that changes something, once it was asked why. */
export function ActButton(props: ActButtonProps) {
  const { operation, title, label, icon, isMain = false, isDisabled = false, ...question } = props;
  if (!may(operation)) return null;
  return (
    <Button
      is={isMain ? "is-primary" : ""}
      icon={icon}
      label={label}
      disabled={isDisabled}
      onClick={() => {
        asked.value = { action: title, operation, ...question };
      }}
    >
      {title}
    </Button>
  );
}

const asked = signal<Question | null>(null);

/** Stands once, in the frame. */
export const ConfirmDialog = () => asked.value !== null && <Asking {...asked.value} />;

const WHY: FormField = {
  name: "reason",
  label: "Why",
  kind: "lines",
  hint: "goes to the audit log",
  input: { maxLength: 500, required: true },
};

function Asking({
  operation,
  question,
  says = summaryOf(operation),
  action,
  fields = () => [],
  run,
}: Question) {
  const { values, onInput } = useValues();
  const { isBusy, problem, run: runTask } = useTask();
  const [progress, setProgress] = useState<Progress | null>(null);
  const close = () => {
    asked.value = null;
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void runTask(async () => {
      const done = await run(values.reason?.trim() || undefined, values, setProgress);
      close();
      notify(done);
    });
  };
  return (
    <Dialog
      title={question}
      leave="Cancel"
      onClose={close}
      onSubmit={submit}
      action={
        <Button is="is-primary" disabled={isBusy}>
          {isBusy ? "Working…" : action}
        </Button>
      }
    >
      <p class="quiet">{says}</p>
      <Fields of={[WHY, ...fields(values)]} values={values} onInput={onInput} />
      {problem !== null && <Problem problem={problem} />}
      {isBusy && progress !== null && (
        <div class="stack quiet" role="status">
          <ProgressShown of={progress} label={action} />
        </div>
      )}
    </Dialog>
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

/** Asks when it ends. @param never what it says where there may be no end. */
export const endFields =
  (never?: string) =>
  ({ end }: Values): readonly FormField[] => {
    const choices = never === undefined ? ENDS : [...ENDS, ["never", never] as const];
    const ends: FormField = { name: "end", label: "Ends", kind: "choice", any: null, choices, first: "60" };
    const at: FormField = {
      name: "at",
      label: "At",
      kind: "time",
      hint: zone.value,
      input: { required: true },
    };
    return end === "own" ? [ends, at] : [ends];
  };

export function endChosen({ end = "60", at = "" }: Values): Date | null {
  if (end === "never") return null;
  return end === "own" ? timeGiven(at) : new Date(now.value + Number(end) * 60_000);
}
