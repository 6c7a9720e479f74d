import { Link } from "../kit/router.tsx";
import { None } from "./money.tsx";

interface PaymentLinkProps {
  invoiceId: string | null;
  /** What is told where nobody knows the invoice. */
  eventId?: string | null;
}

/** The beginning of an invoice's id, which leads to its payment. */
export function PaymentLink({ invoiceId, eventId = null }: PaymentLinkProps) {
  const id = invoiceId ?? eventId;
  if (id === null) return <None />;
  const shown = <code>{id.slice(0, 8)}…</code>;
  return invoiceId === null ? shown : <Link to={`payments/${id}`}>{shown}</Link>;
}
