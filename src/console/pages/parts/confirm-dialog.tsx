import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ActDialog, ReasonField } from "./act-dialog.tsx";

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
  const [reason, setReason] = useState("");
  return (
    <ActDialog
      title={title}
      says={says}
      action={action}
      danger={danger}
      run={() => run(reason.trim() === "" ? undefined : reason.trim())}
      onClose={() => closeFor(question)}
    >
      {wanted !== "none" && (
        <ReasonField value={reason} onChange={setReason} isRequired={wanted === "required"} />
      )}
    </ActDialog>
  );
}

function closeFor(question: Question): void {
  if (open.peek() === question) open.value = null;
}
