import { PageHead } from "../parts/page-head.tsx";
import { Loading } from "../parts/states.tsx";

export function CompletenessPage() {
  return (
    <>
      <PageHead title="Completeness" />
      <Loading what="it" />
    </>
  );
}
