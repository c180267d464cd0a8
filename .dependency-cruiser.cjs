// The import boundaries of CONTRIBUTING.md. Keep the rules here and nowhere else.
const typeOnlyOk = { dependencyTypesNot: ["type-only"] };
const tests = "(\\.test\\.tsx?$|^tests/|^e2e/|^lib/testing/)";
/** They run on the server, and stand beside the components that call them. */
const serverActions = "^components/.*[/-]actions\\.ts$";
const dataFiles =
  "(queries|commands|ledger|lease|settle|reconcile|settlement-batch|database|bootstrap|sweep|partitions|listen|sqlstate|relay-host|snapshot/store|import/sources/postgres)\\.ts$";
/** Components with large libraries, which are loaded after the page: import() with components/ui/later.ts or next/dynamic. */
const comesLater =
  "^components/(ui/sonner-toaster|palette/palette|setting/(setting-search-field|preview-markdown)|playground/message-markdown|chart/(bar|line|donut)-chart)\\.tsx$";
module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true, dependencyTypesNot: ["type-only"] } },
    { name: "components-not-app", severity: "error", from: { path: "^components/" }, to: { path: "^app/" } },
    {
      name: "lib-not-app",
      severity: "error",
      from: { path: "^(lib|db|tools/import)/" },
      to: { path: "^(app|components)/" },
    },
    { name: "db-is-a-leaf", severity: "error", from: { path: "^db/" }, to: { path: "^(lib|server)/" } },
    {
      name: "nothing-imports-tools",
      severity: "error",
      // `weir import` starts there.
      from: { path: "^(app|components|db|lib|server)/", pathNot: `${tests}|^server/commands/import\\.ts$` },
      to: { path: "^tools/" },
    },
    {
      name: "app-not-db",
      severity: "error",
      from: { path: "^(app|components)/" },
      to: { path: "^db/", ...typeOnlyOk },
    },
    {
      name: "components-not-server",
      severity: "error",
      from: { path: "^components/", pathNot: serverActions },
      to: { path: "^lib/.*(queries|commands)\\.ts$", ...typeOnlyOk },
    },
    {
      name: "channel-types-stay-on-the-server",
      severity: "error",
      from: { path: "^components/", pathNot: tests },
      to: {
        path: "^lib/(relay/providers/rows/|provider-catalogue/|channel/type-views)",
        pathNot: "^lib/provider-catalogue/editor-fields",
        ...typeOnlyOk,
      },
    },
    {
      name: "the-provider-catalogue-is-data",
      severity: "error",
      from: { path: "^lib/provider-catalogue/", pathNot: tests },
      to: { pathNot: "^lib/(provider-catalogue/|operations\\.ts|model-rules/schema\\.ts)" },
    },
    {
      name: "large-components-come-later",
      severity: "error",
      from: { path: "^(app|components)/", pathNot: tests },
      to: { path: comesLater, dynamic: false, ...typeOnlyOk },
    },
    {
      name: "large-libraries-only-there",
      severity: "error",
      // Operators' texts are rendered on the server.
      from: { path: "^(app|components)/", pathNot: `${tests}|${comesLater}|^components/shell/operator-text` },
      to: {
        path: "node_modules/(sonner|recharts|react-markdown|remark-gfm|rehype-sanitize)/",
        dynamic: false,
        ...typeOnlyOk,
      },
    },
    {
      name: "relay-is-framework-free",
      severity: "error",
      from: { path: "^lib/(relay|billing)/" },
      to: { path: "^(next|react)(/|$)|node_modules/(next|react)/" },
    },
    {
      name: "dialects-are-pure",
      severity: "error",
      from: { path: "^lib/relay/wire/", pathNot: tests },
      to: { pathNot: "^(lib/(relay/wire|model-rules)/|node_modules/zod)" },
    },
    {
      name: "relay-doors",
      severity: "error",
      from: { pathNot: `^lib/relay/|${tests}` },
      to: {
        path: "^lib/relay/",
        pathNot: "^lib/relay/((side|providers|base|base/refusals|wire|answers|routing/plan|http/tracing)/)?index\\.ts$",
      },
    },
    {
      name: "sql-only-in-data-files",
      severity: "error",
      from: { path: "^(lib|tools/import)/", pathNot: `${dataFiles}|${tests}` },
      // How an address or an error of the database is read is no SQL.
      to: { path: "^db/", pathNot: "^db/(database-address|sql-state)", ...typeOnlyOk },
    },
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(\\.next|dist|node_modules)/" },
  },
};
