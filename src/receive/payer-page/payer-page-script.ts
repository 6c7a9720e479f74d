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

  function confirmed() {
    show("confirming", false);
    show("slow", false);
    show("unsettled", false);
    show("confirmed", true);
    document.title = document.querySelector("#confirmed h1").textContent;
  }

  function unsettled() {
    show("confirming", false);
    show("slow", false);
    show("unsettled", true);
    document.title = document.querySelector("#unsettled h1").textContent;
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
        if (now.state === "confirmed") return confirmed();
        var waited = performance.now() - began;
        if (waited > 60000 || now.state === "gone") unsettled();
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
