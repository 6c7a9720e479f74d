/**
 * The script of the payer's page, for any browser of recent years. It takes the callback's address, which
 * holds a token, out of the address bar, so that a reload neither shows it nor sends the callback again; then
 * it asks for the state until it is confirmed, ever less often, for as long as the server answers. After a
 * minute it stops looking busy: whoever cancelled should not be kept waiting.
 */
export const PAYER_PAGE_SCRIPT = `
"use strict";
(function () {
  var status = document.querySelector("[data-follow]");
  if (!status) return;
  var address = status.getAttribute("data-follow");
  var began = performance.now();
  var wait = 1000;
  var show = function (id, there) { document.getElementById(id).hidden = !there; };
  try { history.replaceState(null, "", address); } catch (error) { /* the address stays as it is */ }

  function settle(state) {
    ["confirming", "slow", "unsettled"].forEach(function (id) { show(id, false); });
    show(state, true);
    document.title = document.querySelector("#" + state + " h1").textContent;
  }

  function look() {
    if (document.hidden) return later();
    fetch(address + "/state", { cache: "no-store", credentials: "omit" })
      .then(function (answer) {
        if (answer.status === 404) return { state: "gone" };
        return answer.ok ? answer.json() : { state: "confirming" };
      })
      .catch(function () { return { state: "confirming" }; })
      .then(function (now) {
        if (now.state === "confirmed") return settle("confirmed");
        var waited = performance.now() - began;
        if (waited > 60000 || now.state === "gone") settle("unsettled");
        else if (waited > 20000) show("slow", document.getElementById("unsettled").hidden);
        if (now.state !== "gone") later();
      });
  }

  function later() {
    setTimeout(look, wait);
    wait = Math.min(wait * 1.2, 10000);
  }

  document.addEventListener("visibilitychange", function () { if (!document.hidden) wait = 1000; });
  later();
})();
`;

/** Served from its own address, so that the page's policy can forbid inline style. */
export const PAYER_PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #eef1f5; --card: #fff; --ink: #16202e; --quiet: #546173; --line: #d9dfe7; --brand: #0b5fce; --good: #0d6b3d;
}
@media (prefers-color-scheme: dark) {
  :root { --ground: #0e141c; --card: #17202b; --ink: #eef2f7; --quiet: #a9b6c6; --line: #2f3b4a; --brand: #6aa9ff; --good: #7ddba6; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; min-height: 100svh; display: grid; place-items: center; padding: 1.25rem 1rem;
  background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif;
}
main {
  width: 100%; max-width: 26rem; padding: 2.5rem 1.75rem; text-align: center; background: var(--card);
  border: 1px solid var(--line); border-radius: 1rem; box-shadow: 0 1px 2px rgb(16 32 56 / .05), 0 12px 32px rgb(16 32 56 / .08);
}
[hidden] { display: none; }
h1 { margin: 1.5rem 0 .5rem; font-size: 1.375rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; }
p { margin: 0; color: var(--quiet); text-wrap: balance; }
.quiet { margin-top: 1.25rem; padding-top: 1.25rem; border-top: 1px solid var(--line); font-size: .875rem; }
.mark { display: block; width: 3.5rem; height: 3.5rem; margin: 0 auto; fill: none; stroke: var(--quiet); stroke-width: 3;
  stroke-linecap: round; stroke-linejoin: round; }
.good { stroke: var(--good); }
.wait { stroke: var(--brand); }
.busy { border: 3px solid var(--line); border-top-color: var(--brand); border-radius: 50%; animation: turn 1s linear infinite; }
a { color: var(--brand); }
a:focus-visible { outline: 3px solid var(--brand); outline-offset: 2px; }
@keyframes turn { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) { .busy { animation-duration: 6s; } }
@media print { body { background: none; } main { border: 0; box-shadow: none; } }
`;
