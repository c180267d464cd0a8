import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CONSOLE_FORMS, OTHER_FORMS } from "./console-forms";
import { serverActionFiles } from "./server-action-files";

const ROOT = join(import.meta.dirname, "..", "..");

function readAll(folder: string, name: RegExp): Map<string, string> {
  const paths = readdirSync(join(ROOT, folder), { recursive: true }).map((path) => `${folder}/${path}`);
  return new Map(
    paths
      .filter((path) => name.test(path) && !path.includes(".test."))
      .map((path) => [path, readFileSync(join(ROOT, path), "utf8")]),
  );
}

/** What makes a component a form: an element, a drawer that is one, or a cell that turns into an input. */
const IS_FORM = /<form\b|\bmodalForm\b(?!\?)|function InlineNumber\b/;

test("every form of the console is in the list of forms, once as a form that saves or as one that cannot lose a value", () => {
  const found = [...readAll("components", /\.tsx$/), ...readAll("app", /\.tsx$/)]
    .filter(([path, source]) => IS_FORM.test(source) && path !== "components/overlay/drawer.tsx")
    .map(([path]) => path);
  const listed = new Set([...CONSOLE_FORMS.map(({ file }) => file), ...Object.keys(OTHER_FORMS)]);
  expect(found.filter((path) => !listed.has(path)).toSorted()).toEqual([]);
  const sources = readAll("components", /\.tsx$/);
  expect([...listed].filter((path) => !sources.has(path))).toEqual([]);
  expect(CONSOLE_FORMS.filter(({ file }) => Object.hasOwn(OTHER_FORMS, file))).toEqual([]);
});

/** Actions whose names say that they save and that set one explicit state, or that are refused when what they saw has changed. */
const NOT_FORMS: Readonly<Record<string, string>> = {
  "components/shell/actions.ts setLocale": "a choice says the one that is wanted",
  "components/channel/actions.ts setChannelStatus": "a switch says the state that is wanted",
  "components/channel/actions.ts setTagStatus": "a switch says the state that is wanted",
  "components/channel/actions.ts setKeyStatus": "a switch says the state that is wanted",
  "components/channel/actions.ts chooseKeyMode": "a choice says the one that is wanted",
  "components/channel/actions.ts updateBalance": "asks the upstream",
  "components/channel/actions.ts updateBalances": "asks the upstreams",
  "components/channel/bulk-actions.ts applyBulk": "refused when the rows are not those of the preview",
  "components/data-table/actions.ts saveView": "makes a view",
  "components/data-table/actions.ts setDefaultView": "a switch says the state that is wanted",
  "components/setting/price-sync/actions.ts applyPrices": "refused when a price has changed",
  "components/price-list/actions.ts applyAdjustment": "refused when a price has changed",
  "components/account/notification-actions.ts setTargetEnabled": "a switch says the state that is wanted",
  "components/alert/actions.ts setAlertEnabled": "a switch says the state that is wanted",
  "components/redemption/actions.ts setRedemptionStatus": "a switch says the state that is wanted",
  "components/token/actions.ts setTokenStatus": "a switch says the state that is wanted",
  "components/capture/actions.ts setKeyCapture": "a switch says the state that is wanted",
  "components/user/actions.ts applyToUsers": "says the state that is wanted, after a preview",
  "components/token/actions.ts changeTokens": "switches or deletes the chosen rows",
  "components/redemption/actions.ts changeRedemptions": "switches or deletes the chosen rows",
};

test("every server action that saves belongs to a form of the list", () => {
  const saves = /^export const ((?:save|update|rename|set|choose|change|apply|edit)[A-Z]\w*) = action\(/gm;
  const found = serverActionFiles().flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(saves)].map(([, name]) => `${path} ${name}`),
  );
  const listed = new Set([...CONSOLE_FORMS.map(({ action }) => action), ...Object.keys(NOT_FORMS)]);
  expect(found.filter((one) => !listed.has(one)).toSorted()).toEqual([]);
  expect([...listed].filter((one) => !found.includes(one)).toSorted()).toEqual([]);
});
