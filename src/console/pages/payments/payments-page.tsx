import { PageHead } from "../parts/page-head.tsx";
import { Loading } from "../parts/states.tsx";

export function PaymentsPage() {
  return (
    <>
      <PageHead title="Payments" />
      <Loading what="it" />
    </>
  );
}
