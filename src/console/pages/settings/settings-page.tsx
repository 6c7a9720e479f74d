import { PageHead } from "../parts/page-head.tsx";
import { Loading } from "../parts/states.tsx";

export function SettingsPage() {
  return (
    <>
      <PageHead title="Settings" />
      <Loading what="it" />
    </>
  );
}
