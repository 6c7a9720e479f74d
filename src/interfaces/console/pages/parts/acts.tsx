import { signal } from "@preact/signals";
import { may } from "../api/client.ts";
import { acted } from "../api/use-answer.ts";
import { Fields, type FormField, useTask, useValues } from "./form.tsx";
import { summaryOf } from "./operations.ts";
import { Dialog, notify, Problem } from "./page.tsx";
import { Button } from "./values.tsx";

/** Something that changes something: in words, what is asked before, and how it is done. */
export interface Act {
  /** The operation of the admin API: a session that may not run it sees no button. */
  operation: string;
  /** The verb, on the button that asks and the one that does. */
  title: string;
  isMain?: boolean | undefined;
  /** Instead of what its operation does. */
  says?: string | undefined;
}

interface Question extends Act {
  question: string;
  /** On the button that does it, where that says of how many. */
  action?: string;
  /** false: nothing takes a reason. */
  hasReason?: boolean;
  /**
   * Does it. @param reason goes to the audit log.
   * @returns what to say when it is done. @throws ApiProblem, which is shown in the dialog
   */
  run: (reason: string | undefined) => Promise<string>;
}

interface ActButtonProps extends Question {
  /** A label for screen readers. */
  label?: string;
  isDisabled?: boolean;
}

/** A button that changes something, once it was asked why. */
export function ActButton({ label, isDisabled = false, ...question }: ActButtonProps) {
  const { operation, title, isMain = false } = question;
  if (!may(operation)) return null;
  return (
    <Button
      is={isMain ? "is-primary" : ""}
      label={label}
      disabled={isDisabled}
      onClick={() => {
        asked.value = question;
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

function Asking({ operation, title, question, says, action, hasReason = true, run }: Question) {
  const { values, onInput } = useValues();
  const { isBusy, problem, run: runTask } = useTask();
  const close = () => {
    asked.value = null;
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void runTask(async () => {
      const done = await run(values.reason?.trim() || undefined);
      acted.value += 1;
      close();
      notify(done);
    });
  };
  return (
    <Dialog
      title={question}
      onClose={close}
      onSubmit={submit}
      action={
        <Button is="is-primary" disabled={isBusy}>
          {isBusy ? "Working…" : (action ?? title)}
        </Button>
      }
    >
      <p class="quiet">{says ?? summaryOf(operation)}</p>
      {hasReason && <Fields of={[WHY]} values={values} onInput={onInput} />}
      {problem !== null && <Problem problem={problem} />}
    </Dialog>
  );
}
