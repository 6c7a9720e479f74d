import type { PageProps } from "../pages.ts";
import { PaymentList } from "./payment-list.tsx";
import { Story } from "./story.tsx";

/** The list, or one payment's story. */
export function PaymentsPage({ rest: [id] }: PageProps) {
  return id === undefined ? <PaymentList /> : <Story id={id} key={id} />;
}
