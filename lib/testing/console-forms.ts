/**
 * All forms of the console that change what is stored. Tests are generated from this list; lib/testing/console-forms.test.ts
 * fails when a form or a server action that saves is missing here.
 */

/** A field, by its name in the command's input and by the label that people see (English). */
export type FormField = {
  name: string;
  label: string;
  /** How it is filled in: typed, typed item by item with Enter after each, chosen from a list, or switched. */
  control: "text" | "items" | "choice" | "switch";
  /** Two values of the command's input; a new row of the tests has neither. */
  values: readonly [unknown, unknown];
  /** The same as they are typed or chosen; left out where they are the values as text. */
  typed?: readonly [string, string];
};

export type ConsoleForm = {
  name: string;
  /** The component with the form. */
  file: string;
  /** Who is signed in. */
  who: "user" | "admin" | "root";
  /** The address that opens it; {id} stands for the row. */
  path: string;
  /** The buttons to press afterwards, by name; {name} stands for the row. */
  press: readonly string[];
  /** The button that saves. */
  submit: "Submit" | "Save" | "Save settings" | "Enter" | "Apply";
  /** The server action, as in tests/attacks/borrowed-browser-actions.test.ts: its file, and its name. */
  action: string;
  /** Whether an amount is changed by the difference to what was seen; such a field never clashes. */
  amount?: string;
  fields: readonly FormField[];
};

const text = (name: string, label: string, one: string, two: string): FormField => ({
  name,
  label,
  control: "text",
  values: [one, two],
});
const number = (name: string, label: string, one: number, two: number): FormField => ({
  name,
  label,
  control: "text",
  values: [one, two],
  typed: [String(one), String(two)],
});

export const CONSOLE_FORMS: readonly ConsoleForm[] = [
  {
    name: "token",
    file: "components/token/token-form.tsx",
    who: "user",
    path: "/token?edit={id}",
    press: [],
    submit: "Submit",
    action: "components/token/actions.ts updateToken",
    amount: "remainQuota",
    fields: [
      text("name", "Name", "one name", "another name"),
      text("allowIps", "IP allowlist", "192.0.2.1", "192.0.2.2"),
      text("denyIps", "IP blocklist", "198.51.100.1", "198.51.100.2"),
      number("tokensPerMinute", "Tokens per minute", 1_000, 2_000),
      number("concurrencyLimit", "Concurrent requests", 3, 4),
    ],
  },
  {
    name: "channel",
    file: "components/channel/channel-form.tsx",
    who: "admin",
    path: "/channel?edit={id}",
    press: [],
    submit: "Submit",
    action: "components/channel/actions.ts updateChannel",
    fields: [
      text("name", "Name", "one channel", "another channel"),
      number("priority", "Priority", 5, 6),
      number("weight", "Weight", 7, 8),
      text("testModel", "Default test model", "model-a", "model-b"),
      text("tag", "Tag", "tag-a", "tag-b"),
      number("requestsPerMinute", "Requests per minute", 10, 20),
    ],
  },
  {
    name: "channel's cell",
    file: "components/channel/inline-number.tsx",
    who: "admin",
    path: "/channel?keyword={name}",
    press: ["Priority of {name}"],
    submit: "Enter",
    action: "components/channel/actions.ts updateChannel",
    fields: [number("priority", "Priority of {name}", 5, 6), number("weight", "Weight of {name}", 7, 8)],
  },
  {
    name: "tag",
    file: "components/channel/tag-form.tsx",
    who: "admin",
    path: "/channel?editTag={name}",
    press: [],
    submit: "Submit",
    action: "components/channel/actions.ts updateTag",
    fields: [
      { ...text("models", "Models", "model-a", "model-b"), control: "items" },
      { ...text("group", "Groups", "vip", "svip"), control: "items" },
      text("modelMapping", "Model redirect", '{"a":"b"}', '{"a":"c"}'),
    ],
  },
  {
    name: "tag's cell",
    file: "components/channel/inline-number.tsx",
    who: "admin",
    path: "/channel?tags=true&keyword={name}",
    press: ["Priority of {name}"],
    submit: "Enter",
    action: "components/channel/actions.ts updateTag",
    fields: [number("priority", "Priority of {name}", 5, 6), number("weight", "Weight of {name}", 7, 8)],
  },
  {
    name: "user",
    file: "components/user/edit-user-form.tsx",
    who: "root",
    path: "/user?edit={id}",
    press: [],
    submit: "Submit",
    action: "components/user/actions.ts updateUser",
    amount: "quota",
    fields: [
      text("displayName", "Display name", "One", "Another"),
      { name: "group", label: "Group", control: "choice", values: ["vip", "svip"] },
      number("concurrencyLimit", "Personal concurrency limit", 3, 4),
      number("requestsPerMinute", "Requests per minute", 10, 20),
    ],
  },
  {
    name: "own account",
    file: "components/user/self-form.tsx",
    who: "user",
    path: "/user/edit",
    press: [],
    submit: "Submit",
    action: "components/account/personal-actions.ts updateSelf",
    fields: [
      text("displayName", "Display name", "One", "Another"),
      text("username", "Username", "oneself", "otherself"),
    ],
  },
  {
    name: "redemption code",
    file: "components/redemption/redemption-form.tsx",
    who: "admin",
    path: "/redemption?edit={id}",
    press: [],
    submit: "Submit",
    action: "components/redemption/actions.ts updateRedemption",
    fields: [
      text("name", "Name", "one code", "another code"),
      { ...number("quota", "Amount", 1_000_000, 1_500_000), typed: ["2", "3"] },
    ],
  },
  {
    name: "alert",
    file: "components/alert/alert-form.tsx",
    who: "user",
    path: "/alert?alert={id}",
    press: [],
    submit: "Submit",
    action: "components/alert/actions.ts saveAlert",
    fields: [
      text("name", "Name", "one alert", "another alert"),
      { ...number("coolDownSeconds", "Cool-down", 300, 900), control: "choice" },
      { ...number("windowSeconds", "Window", 300, 900), control: "choice" },
      { ...number("threshold", "Threshold", 1_000_000, 1_500_000), typed: ["2", "3"] },
    ],
  },
  {
    name: "incident",
    file: "components/status-page/incident-form.tsx",
    who: "admin",
    path: "/status",
    press: ["Edit “{name}”"],
    submit: "Submit",
    action: "components/status-page/actions.ts saveIncident",
    fields: [
      text("titleEn", "Title (English)", "One title", "Another title"),
      text("textEn", "Text (English)", "One text", "Another text"),
      text("textZh", "Text (Chinese)", "一", "二"),
      { name: "state", label: "State", control: "choice", values: ["identified", "monitoring"] },
    ],
  },
  {
    name: "notification target",
    file: "components/account/notification-target-form.tsx",
    who: "user",
    path: "/setting?tab=personal&target={id}",
    press: [],
    submit: "Submit",
    action: "components/account/notification-actions.ts saveTarget",
    fields: [
      text("name", "Name", "one target", "another target"),
      text("config.url", "Webhook address", "https://one.example/hook", "https://two.example/hook"),
    ],
  },
  {
    name: "preferences",
    file: "components/account/notification-preferences.tsx",
    who: "user",
    path: "/setting?tab=personal",
    press: [],
    submit: "Save",
    action: "components/account/notification-actions.ts savePreferences",
    fields: [
      { ...number("threshold", "Warning threshold", 1_000_000, 1_500_000), typed: ["2", "3"] },
      {
        name: "budgetWarnings",
        label: "Budget warnings (%)",
        control: "text",
        values: [[50], [60]],
        typed: ["50", "60"],
      },
    ],
  },
  {
    name: "passkey",
    file: "components/account/security-passkey-name.tsx",
    who: "user",
    path: "/setting?tab=personal",
    press: ["Rename {name}"],
    submit: "Submit",
    action: "components/account/security-actions.ts renamePasskey",
    fields: [text("name", "Name", "one key", "another key")],
  },
  {
    name: "view",
    file: "components/data-table/view-name-dialog.tsx",
    who: "user",
    path: "/token",
    press: ["Views", "Manage views", "Rename view: {name}"],
    submit: "Submit",
    action: "components/data-table/actions.ts renameView",
    fields: [text("name", "Name of the view", "one view", "another view")],
  },
  {
    name: "option",
    file: "components/setting/page-form.tsx",
    who: "root",
    path: "/setting?tab=operation&page=general",
    press: [],
    submit: "Save settings",
    action: "components/setting/actions.ts saveOptions",
    fields: [
      text("TopUpLink", "Top-up link", "https://one.example", "https://two.example"),
      text("ChatLink", "Chat link", "https://one.example/chat", "https://two.example/chat"),
    ],
  },
  {
    name: "price row",
    file: "components/setting/pricing-dialog.tsx",
    who: "root",
    path: "/setting?tab=operation&page=pricing",
    press: [],
    submit: "Save settings",
    action: "components/setting/actions.ts saveOptions",
    fields: [
      {
        name: "ModelRatio",
        label: "{name}: Model ratio",
        control: "text",
        values: ['{"one":1}', '{"one":2}'],
        typed: ["1", "2"],
      },
      {
        name: "CompletionRatio",
        label: "{name}: Completion ratio",
        control: "text",
        values: ['{"one":1}', '{"one":2}'],
        typed: ["1", "2"],
      },
    ],
  },
  {
    name: "group ratios",
    file: "components/what-if/group-draft.tsx",
    who: "root",
    path: "/setting/prices/what-if",
    press: [],
    submit: "Apply",
    action: "components/setting/actions.ts saveOptions",
    fields: [
      {
        name: "GroupRatio",
        label: "Draft ratio of vip",
        control: "text",
        values: ['{"default":1,"vip":2}', '{"default":1,"vip":3}'],
        typed: ["2", "3"],
      },
    ],
  },
  {
    name: "channel routing",
    file: "components/what-if/routing-draft.tsx",
    who: "root",
    path: "/setting/prices/what-if",
    press: [],
    submit: "Apply",
    action: "components/what-if/actions.ts applyRouting",
    fields: [number("priority", "Priority of {name}", 5, 6), number("weight", "Weight of {name}", 7, 8)],
  },
];

/** Forms that change nothing that is stored, or add to it: nobody else's value can be lost. */
export const OTHER_FORMS: Readonly<Record<string, string>> = {
  "components/log/request-finder.tsx": "searches",
  "components/log/log-bars.tsx": "filters a list",
  "components/data-table/filter-bar.tsx": "filters a list",
  "components/channel/bulk-dialog.tsx": "applies what a preview of the rows showed; refused when the rows are others",
  "components/user/create-user-form.tsx": "makes an account",
  "components/user/add-quota-dialog.tsx": "a part of the user's form",
  "components/auth/step-up-dialog.tsx": "signs in",
  "components/auth/second-step.tsx": "signs in",
  "components/auth/reset-request-form.tsx": "asks for a mail",
  "components/auth/password-step.tsx": "signs in",
  "components/auth/outside-sign-in-wechat.tsx": "signs in",
  "components/auth/register-form.tsx": "makes an account",
  "components/setting/price-sync/list-address.tsx":
    "reads a price list; applying it is refused when a price has changed",
  "components/price-list/adjust-bar.tsx": "previews; applying is refused when a price has changed",
  "components/account/security-totp-setup.tsx": "adds a factor, proved by a code",
  "components/account/transfer-dialog.tsx": "moves an amount, which is a difference",
  "components/account/delete-account-dialog.tsx": "deletes",
  "components/account/password-dialog.tsx": "sets a secret, proved by the one before",
  "components/account/email-dialog.tsx": "sets an address, proved by a code",
  "components/topup/redeem-form.tsx": "redeems a code, which works once",
};
