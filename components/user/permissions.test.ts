import { expect, test } from "vitest";
import { allowedVerbs } from "./permissions";

const root = { id: 1, role: 100 };
const admin = { id: 2, role: 10 };
const row = { id: 9, role: 1, status: 1, deleted: false };

test("a super administrator promotes ordinary users and demotes administrators (A050, A051)", () => {
  expect(allowedVerbs(root, row)).toMatchObject({ promote: true, demote: false });
  expect(allowedVerbs(root, { ...row, role: 10 })).toMatchObject({ promote: false, demote: true });
});

test("an administrator manages those below only, and promotes nobody (A115)", () => {
  const verbs = allowedVerbs(admin, row);
  expect(verbs).toEqual({ edit: true, promote: false, demote: false, disable: true, enable: false, deregister: true });
  for (const role of [10, 100]) expect(Object.values(allowedVerbs(admin, { ...row, role }))).not.toContain(true);
});

test("nobody disables, demotes or deregisters a super administrator", () => {
  expect(allowedVerbs(root, { ...row, role: 100 })).toMatchObject({ disable: false, demote: false, deregister: false });
});

test("a user is disabled or enabled depending on the status, and status 3 cannot be enabled (A052, A117)", () => {
  expect(allowedVerbs(root, row)).toMatchObject({ disable: true, enable: false });
  expect(allowedVerbs(root, { ...row, status: 2 })).toMatchObject({ disable: false, enable: true });
  expect(allowedVerbs(root, { ...row, status: 3 })).toMatchObject({ disable: false, enable: false });
});

test("a deregistered user can no longer be changed (A118)", () => {
  expect(Object.values(allowedVerbs(root, { ...row, deleted: true }))).not.toContain(true);
});
