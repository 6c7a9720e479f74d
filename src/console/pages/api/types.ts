import type { AnswerOf, CallInput, OperationAt, PathOf } from "../../../api/calls.ts";

type Read<Path extends PathOf<"get">> = AnswerOf<OperationAt<"get", Path>>;

export type Status = Read<"/status">;
export type Activity = Read<"/activity">;
export type SettingsShown = Read<"/settings">;
export type Session = Read<"/session">;
/** A reading that failed in the relay: `what` names the event that could not be sent. */
export type Trouble = Extract<Read<"/live">, { since: unknown }>;
export type Happening = Exclude<Read<"/live">, Status | Activity | Trouble>;
export type AuditEntry = Read<"/audit">["entries"][number];
export type Timeline = Read<"/invoices/{id}">;
export type TimelineEntry = Timeline["entries"][number];
export type InvoiceEvidence = Read<"/invoices/{id}/evidence">;
export type ListedInvoice = Read<"/invoices">["items"][number];
export type ListedCallback = Read<"/callbacks">["items"][number];
export type CallbackShown = Read<"/callbacks/{id}">;
export type Undelivered = Read<"/dead-letters">["items"][number];
export type UndeliveredEvidence = Read<"/dead-letters/{id}">["items"][number];
export type ShownReplay = Read<"/replays/{id}">;
export type Replay = ShownReplay["replay"];
export type ReplayRequest = CallInput<OperationAt<"post", "/replays">>["body"];
export type Plan = NonNullable<AnswerOf<OperationAt<"post", "/replays">>["plan"]>;
export type Calendar = Read<"/certificates/calendar">;
export type CertificateShown = Read<"/certificates/{id}">;
