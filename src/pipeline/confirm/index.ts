export { OutcomeStore } from "./answer-statement.ts";
export { CollectionNames } from "./collection-names.ts";
export { ConfirmQueue, confirmPolicy } from "./confirm-queue.ts";
export {
  eraseConfirmations,
  erasePayments,
  listUncheckedErased,
  markErased,
  namesErased,
  namesLegibleInvoice,
  noteChecked,
  type ReferenceOfInvoice,
  someErasedAreUnchecked,
} from "./erase.ts";
export {
  classOfStatus,
  NEITHER_STATUS,
  plainStatus,
  plainStatuses,
  type StatusSets,
  statusSets,
} from "./invoices/confirmed-invoice.ts";
export {
  answersInOrder,
  answersOf,
  describePayments,
  hasStatus,
  newestInvoiceId,
  noInvoiceIsKnown,
  plainColumn,
  readableDocument,
} from "./invoices/read-invoices.ts";
export {
  countUnaskedReplays,
  countUndeliveredConfirmations,
  deleteUnknown,
  dismissConfirmations,
  promote,
  readStates,
  readUnknownKeptSince,
  readUnusableAnswer,
  releaseConfirmations,
  unknownKeptSince,
} from "./queue/change-confirmations.ts";
export {
  type Claimed,
  type ClaimedConfirmation,
  confirmationLeases,
  confirmationsAreDue,
  NEVER_ASKED,
} from "./queue/claim.ts";
export {
  type ConfirmationKey,
  type ConfirmationState,
  type Priority,
  SHOWN_VERDICTS,
  type ShownVerdict,
  shownVerdict,
  VERDICTS,
  type Verdict,
} from "./queue/confirmation.ts";
export {
  ASKED,
  type ConfirmationRequest,
  type InitialState,
  noteListed,
  openAsked,
  openConfirmations,
  type ToOpen,
} from "./queue/open.ts";
export { KeyProbe, SourceProof } from "./source-proof.ts";
