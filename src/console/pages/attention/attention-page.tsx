import { PageHead } from "../parts/page-head.tsx";
import { Loading } from "../parts/states.tsx";

export function AttentionPage() {
  return (
    <>
      <PageHead title="Attention" />
      <Loading what="it" />
    </>
  );
}
