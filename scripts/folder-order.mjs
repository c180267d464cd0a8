/**
 * Which folders may import which, types included. A folder may import those of the lines below its own; of its own line
 * only what `also` names. `*.ts` stands for the files right under the root. scripts/check-boundaries.mjs holds every
 * import against it and keeps the lists of each `page` the same.
 */
export const FOLDER_ORDER = [
  {
    root: "lib",
    page: "CONTRIBUTING.md",
    lines: [
      {
        folders: "jobs oauth onboarding palette playground saved-view secret status status-page suggestion".split(" "),
        about: "what pages, routes and processes start from",
      },
      { folders: ["pricing", "registration"] },
      { folders: "backup books channel drawing metrics model redemption task topup".split(" ") },
      { folders: ["relay", "user"] },
      { folders: "affiliate alert capture http token".split(" "), also: { token: ["http"] } },
      {
        folders: ["usage-log", "statistics"],
        about: "the rows of the log, and their sums",
        also: { "usage-log": ["statistics"] },
      },
      { folders: ["snapshot"] },
      { folders: ["billing"] },
      { folders: ["auth"] },
      { folders: ["notify"] },
      { folders: ["health", "limit"] },
      { folders: ["log-store", "archive"], also: { "log-store": ["archive"] } },
      { folders: ["egress", "group", "mail"] },
      { folders: ["option"] },
      { folders: ["audit"] },
      { folders: ["export"] },
      {
        folders: ["provider-catalogue"],
        about: "what is known of channel types: plain data",
      },
      {
        folders: ["i18n", "model-rules", "money", "replica", "request"],
        about:
          "what is known of models (`model-rules`), reads that need not be of this moment (`replica`), what a request says of its sender (`request`)",
      },
      {
        folders: ["*.ts"],
        about: "the files right under `lib/`: `context`, `env`, `errors`, `logger`, `row-status` …",
      },
    ],
  },
  {
    root: "lib/relay",
    page: "lib/relay/README.md",
    lines: [
      { folders: ["*.ts"], about: "the relay as others start it" },
      {
        folders: ["side"],
        about: "what is asked beside operations: counts, lists, stored answers, batches, sessions, tests of channels",
      },
      { folders: ["pipeline"], about: "the stages of a request, in order" },
      { folders: ["admission"], about: "key, limits, price and reservation, refused words" },
      { folders: ["routing"], about: "which channel and key is asked, circuits, affinity, what is switched off" },
      { folders: ["operations"], about: "the kinds of work: chat, embeddings, pictures, sound, tasks" },
      {
        folders: ["http"],
        about: "the client's request and response, bodies and forms, one attempt at an upstream, traces",
      },
      { folders: ["providers"], about: "channel types at work: addresses, keys, quirks, what is sent" },
      { folders: ["net"], about: "connections, pools, WebSockets" },
      { folders: ["answers"], about: "what upstreams send: passed on or translated, and what it reports" },
      { folders: ["base"], about: "errors and refusals, secrets, JSON, counts of tokens" },
      { folders: ["wire"], about: "dialects and what they have in common; pure" },
    ],
  },
  {
    root: "components",
    page: "CONTRIBUTING.md",
    lines: [
      {
        folders: (
          "account alert audit capture channel chat dashboard docs drawing home log model palette playground price-effect " +
          "price-history price-list pricing redemption setting status-page task token topup user what-if"
        ).split(" "),
        about: "one folder per feature",
        also: {
          account: ["audit"],
          channel: ["audit"],
          dashboard: ["log"],
          drawing: ["task"],
          home: ["pricing"],
          model: ["pricing"],
          playground: ["drawing"],
          "price-list": ["price-effect"],
          pricing: ["channel", "log", "token"],
          setting: ["audit", "price-effect", "pricing"],
          token: ["chat"],
          user: ["account", "token", "topup"],
          "what-if": ["price-effect", "setting"],
        },
      },
      { folders: ["shell"], about: "what is around every page" },
      { folders: ["session"], about: "what happens to a page when its user's session ends or changes" },
      { folders: ["auth"], about: "signing in, and proving again who one is" },
      { folders: ["data-table", "chart"] },
      { folders: ["form"], about: "fields, drafts and the calls of actions and of `/api`" },
      { folders: ["format", "overlay"], about: "how a value is shown; dialogs, drawers and menus" },
      { folders: ["ui"], about: "primitives, and what a browser keeps" },
    ],
  },
];
