import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { ActDialog, type ActDialogProps, ReasonField } from "./act-dialog.tsx";

interface Question extends Omit<ActDialogProps, "run" | "onClose" | "children"> {
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
  const { reason: wanted = "required", run, ...shown } = question;
  const [reason, setReason] = useState("");
  return (
    <ActDialog
      {...shown}
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
