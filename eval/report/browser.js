"use strict";
// The transcript browser. All text of an episode is set as text, never as markup.
(() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("index").textContent);
  const lines = byId("episodes").textContent.split("\n");
  const detail = (index) => JSON.parse(lines[index]);
  const list = byId("list"), spacer = byId("spacer"), pane = byId("episode");
  const ROW = 58;
  const FILTERS = ["task", "protocol", "condition", "judge", "outcome"];
  const OUTCOMES = ["correct", "incorrect", "tie", "unreadable", "failed"];
  const SIGNS = { correct: "✓", incorrect: "✗", tie: "=", unreadable: "?", failed: "!" };
  const SEATS = { debater_0: "s0", debater_1: "s1", consultant_0: "s2", consultant_1: "s3" };
  const place = new Map(data.episodes.map((episode, index) => [episode.key, index]));
  const state = { task: "", protocol: "", condition: "", judge: "", outcome: "", text: "", episode: "" };
  let matches = [];

  // Builds an element; strings become text nodes.
  function make(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children.filter((child) => child !== null));
    return node;
  }

  const questionOf = (episode) => data.questions[episode.question];
  const percent = (share) => (100 * share).toFixed(1) + " %";

  function valuesOf(episode, filter) {
    if (filter === "task") return [questionOf(episode).task];
    if (filter === "judge") return Object.keys(episode.outcomes);
    if (filter === "outcome") {
      return state.judge ? [episode.outcomes[state.judge]] : Object.values(episode.outcomes);
    }
    return [episode[filter] || "(none)"];
  }

  const haystacks = [];
  function haystack(index) {
    if (haystacks[index] === undefined) {
      const question = questionOf(data.episodes[index]), episode = detail(index);
      const turns = episode.turns.flatMap((turn) => [turn.text, turn.thinking]);
      const players = Object.values(episode.seats).map((seat) => seat[0]);
      const reasons = episode.verdicts.map((verdict) => verdict.reasoning);
      haystacks[index] = [data.episodes[index].key, question.id, question.text, ...question.answers, ...players,
        ...turns, ...reasons, episode.error ?? ""].join("\n").toLowerCase();
    }
    return haystacks[index];
  }

  function fits(index, left_out = "") {
    const episode = data.episodes[index];
    const listed = FILTERS.every((name) => name === left_out || !state[name]
      || valuesOf(episode, name).includes(state[name]));
    return listed && (!state.text || haystack(index).includes(state.text.toLowerCase()));
  }

  // ---- filters

  // An option says how many episodes it would leave, with the other filters as they are.
  function fillFilters() {
    for (const name of FILTERS) {
      const counts = new Map();
      data.episodes.forEach((episode, index) => {
        const within = fits(index, name);
        for (const value of new Set(valuesOf(episode, name))) {
          if (value) counts.set(value, (counts.get(value) ?? 0) + (within ? 1 : 0));
        }
      });
      const order = [...counts.keys()].sort((a, b) =>
        OUTCOMES.indexOf(a) - OUTCOMES.indexOf(b) || (a < b ? -1 : 1));
      if (state[name] && !order.includes(state[name])) order.push(state[name]);
      const options = order.map((value) =>
        make("option", { value }, `${value} (${counts.get(value) ?? 0})`));
      byId(`f-${name}`).replaceChildren(make("option", { value: "" }, "all"), ...options);
      byId(`f-${name}`).value = state[name];
    }
    if (byId("f-text").value !== state.text) byId("f-text").value = state.text;
  }

  function filter() {
    matches = [];
    for (let index = 0; index < data.episodes.length; index++) if (fits(index)) matches.push(index);
    byId("count").textContent =
      `${matches.length.toLocaleString("en")} of ${data.episodes.length.toLocaleString("en")} episodes`;
    spacer.style.height = `${matches.length * ROW}px`;
    list.scrollTop = 0;
    fillFilters();
    if (!matches.includes(place.get(state.episode)) && !pinned) {
      state.episode = matches.length ? data.episodes[matches[0]].key : "";
    }
    show();
  }

  // ---- the list: only the rows in sight exist

  function drawList() {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4);
    const last = Math.min(matches.length, first + Math.ceil(list.clientHeight / ROW) + 9);
    const rows = [];
    for (let number = first; number < last; number++) rows.push(item(number));
    spacer.replaceChildren(...rows);
  }

  function item(number) {
    const episode = data.episodes[matches[number]], question = questionOf(episode);
    const outcome = state.judge ? episode.outcomes[state.judge] : Object.values(episode.outcomes)[0];
    const chosen = episode.key === state.episode;
    const row = make("div", { class: "item", role: "option", id: `item-${number}`,
      "aria-selected": chosen, "aria-posinset": number + 1, "aria-setsize": matches.length },
      make("span", { class: "sign", title: outcome }, SIGNS[outcome]),
      make("div", {}, question.text || question.id),
      make("div", {}, [question.task, episode.protocol, episode.condition].filter(Boolean).join(" · ")));
    row.style.top = `${number * ROW}px`;
    row.addEventListener("click", () => { choose(number); reveal(); });
    if (chosen) list.setAttribute("aria-activedescendant", row.id);
    return row;
  }

  function choose(number) {
    if (!matches.length) return;
    pinned = false;
    const index = matches[Math.min(matches.length - 1, Math.max(0, number))];
    state.episode = data.episodes[index].key;
    show();
  }

  const current = () => matches.indexOf(place.get(state.episode));

  // On a phone the transcript stands below the list.
  function reveal() {
    if (getComputedStyle(byId("browser")).display === "block") pane.scrollIntoView();
  }

  function show() {
    const number = current();
    if (number >= 0) {
      const top = number * ROW;
      if (top < list.scrollTop) list.scrollTop = top;
      else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
    }
    drawList();
    drawEpisode();
    remember();
  }

  // ---- one episode

  function drawEpisode() {
    const index = place.get(state.episode);
    pane.scrollTop = 0;
    if (index === undefined) {
      const said = state.episode ? `There is no episode ${state.episode} on this page.` : "No episode fits.";
      pane.replaceChildren(make("p", {}, said));
      return;
    }
    const episode = { ...data.episodes[index], ...detail(index) }, question = questionOf(episode);
    const answers = question.answers.map((answer, side) =>
      make("li", side === question.correct ? { class: "right" } : {}, `${side + 1}. ${answer} `,
        side === question.correct ? make("span", { class: "chip right" }, "✓ correct answer") : null));
    const facts = [question.task, episode.protocol, episode.condition, `question ${question.id}`,
      `seed ${episode.seed}`, `prompts ${episode.prompts}`].filter(Boolean).join(" · ");
    pane.replaceChildren(
      tools(), make("h3", {}, question.text || question.id), make("p", { class: "facts" }, facts),
      make("ol", { class: "answers" }, ...answers),
      episode.error ? make("p", { class: "chip failed" }, `failed: ${episode.error}`) : "",
      ...episode.turns.map((turn) => drawTurn(episode, turn)),
      ...Object.keys(episode.outcomes).map((judge) => drawVerdicts(episode, judge)));
  }

  function tools() {
    const step = (label, by) => {
      const button = make("button", { type: "button" }, label);
      button.addEventListener("click", () => choose(current() + by));
      return button;
    };
    const up = make("button", { type: "button" }, "↑ list");
    up.addEventListener("click", () => { list.scrollIntoView({ block: "center" }); list.focus(); });
    const link = make("a", { href: "#" + new URLSearchParams({ episode: state.episode }), id: "link" },
      "link to this episode");
    return make("div", { class: "tools" }, step("← previous", -1), step("next →", 1), up, link);
  }

  function drawTurn(episode, turn) {
    const [player, side] = episode.seats[turn.seat] ?? ["", null];
    const [verified, unverified, untagged] = turn.passages;
    const words = turn.text.split(/\s+/).filter(Boolean).length;
    const counts = [[verified, "verified"], [unverified, "unverified"], [untagged, "untagged"]]
      .filter(([count]) => count).map(([count, name]) => `${count} ${name}`);
    const parts = [turn.round < 0 ? "choice of a side" : `round ${turn.round + 1}`, player,
      side === null || side === undefined ? "" : `for answer ${side + 1}`, ...counts, `${words} words`,
      turn.tokens[1] ? `${turn.tokens[1]} tokens` : "", turn.finish === "stop" ? "" : `finish: ${turn.finish}`];
    const head = make("header", {}, make("b", {}, data.speakers[turn.seat] ?? turn.seat),
      ...parts.filter(Boolean).map((part) => make("span", {}, part)));
    const shares = Object.entries(turn.judge_p ?? {}).map(([judge, p]) =>
      share(`${judge} so far`, p[questionOf(episode).correct]));
    return make("section", { class: `turn ${SEATS[turn.seat] ?? "judge"}` }, head, speech(turn.text),
      ...shares, hidden("private thinking", turn.thinking));
  }

  // The game takes brackets out of what a speaker writes, so that these marks are its own.
  function speech(text) {
    if (!text) return make("div", { class: "speech empty" }, "(says nothing)");
    const node = make("div", { class: "speech" });
    const mark = /<([vu])_passage>([\s\S]*?)<\/\1_passage>/g;
    let end = 0;
    for (const found of text.matchAll(mark)) {
      const kind = found[1] === "v" ? "verified" : "unverified";
      node.append(text.slice(end, found.index),
        make("mark", { class: found[1], title: `${kind} passage` }, found[2]));
      end = found.index + found[0].length;
    }
    node.append(text.slice(end));
    return node;
  }

  function share(label, p) {
    const fill = make("i");
    fill.style.width = `${100 * p}%`;
    return make("div", { class: "share" }, make("span", { title: label }, label),
      make("span", { class: "meter", role: "presentation" }, fill),
      make("span", { title: "probability of the correct answer" }, `${percent(p)} correct`));
  }

  function drawVerdicts(episode, judge) {
    const outcome = episode.outcomes[judge], correct = questionOf(episode).correct;
    const orders = episode.verdicts.filter((verdict) => verdict.judge === judge).map((verdict) => {
      const order = verdict.order ? `order ${verdict.order.map((side) => side + 1).join(", ")}` : "order not known";
      return make("div", {},
        verdict.p ? share(order, verdict.p[correct])
          : make("div", { class: "quiet" }, `${order}: ${verdict.outcome}, no probabilities`),
        hidden("reasoning", verdict.reasoning));
    });
    return make("section", { class: "verdict" }, make("header", {}, make("b", {}, `Judge ${judge}`),
      make("span", { class: `chip ${outcome}` }, `${SIGNS[outcome]} ${outcome}`)), ...orders);
  }

  function hidden(name, text) {
    return text ? make("details", {}, make("summary", {}, name), make("div", { class: "private" }, text)) : null;
  }

  // ---- the address: filters and episode, so that both can be sent to others

  let pinned = false;
  let written = "";
  function remember() {
    const parts = new URLSearchParams();
    for (const [name, value] of Object.entries(state)) if (value) parts.set(name, value);
    written = "#" + parts;
    if (located) history.replaceState(null, "", written);
  }

  let located = false;
  function follow() {
    if (!location.hash.includes("=") || location.hash === written) return;
    const wanted = new URLSearchParams(location.hash.slice(1));
    for (const name of Object.keys(state)) state[name] = wanted.get(name) ?? "";
    pinned = Boolean(state.episode);
    located = true;
    filter();
    byId("transcripts").scrollIntoView();
  }

  // ---- what people do

  const edit = (name, value) => { state[name] = value; pinned = false; located = true; filter(); };
  for (const name of FILTERS) byId(`f-${name}`).addEventListener("change", (e) => edit(name, e.target.value));
  let pause = 0;
  byId("f-text").addEventListener("input", (e) => {
    clearTimeout(pause);
    pause = setTimeout(() => edit("text", e.target.value), 150);
  });
  byId("filters").addEventListener("submit", (e) => e.preventDefault());
  byId("filters").addEventListener("reset", () => {
    for (const name of [...FILTERS, "text"]) state[name] = "";
    edit("text", "");
  });
  list.addEventListener("scroll", drawList);
  window.addEventListener("resize", drawList);
  window.addEventListener("hashchange", follow);

  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "Escape") { list.focus(); return; }
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
    const page = Math.max(1, Math.floor(list.clientHeight / ROW) - 1);
    const steps = { j: 1, k: -1 };
    const inList = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    const by = steps[e.key] ?? (document.activeElement === list ? inList[e.key] : undefined);
    if (by !== undefined) { located = true; choose(current() + by); }
    else if (e.key === "/") byId("f-text").focus();
    else if (e.key === "Enter" && document.activeElement === list) { pane.focus(); reveal(); }
    else return;
    e.preventDefault();
  });

  filter();
  follow();
})();
