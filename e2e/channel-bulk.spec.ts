import { expect, expectAccessible, test, uniqueName } from "./fixtures";
import { ChannelPage } from "./pages/channel-page";

test("nothing is done once the selection is empty again, in the required words (B185, B186, B187)", async ({
  rootPage,
}) => {
  const channels = new ChannelPage(rootPage);
  const [name = ""] = await channels.make(uniqueName("words"), [{}]);
  await channels.speak("zh");
  await channels.open(`?keyword=${name}`);
  const box = rootPage.getByRole("checkbox", { name: `选择渠道 ${name}` });
  await box.check();
  await box.uncheck();
  await rootPage.getByRole("button", { name: "删除所选通道" }).click();
  await expect(rootPage.getByText("请先选择要删除的通道！")).toBeVisible();
  await rootPage.getByRole("button", { name: "批量设置标签" }).click();
  await expect(rootPage.getByText("请先选择要设置标签的渠道！")).toBeVisible();
  await box.check();
  await rootPage.getByRole("button", { name: "批量设置标签" }).click();
  await rootPage.getByRole("dialog").getByRole("button", { name: "预览" }).click();
  await expect(rootPage.getByText("标签不能为空！")).toBeVisible();
  await channels.speak("en");
});

test("a page beyond the end is the last page, and the URL says so; a selection is kept over pages, a change is shown before it is made, and can be undone; all that match can be meant at once; deleted channels come back (B034, B036)", async ({
  rootPage,
}) => {
  const channels = new ChannelPage(rootPage);
  const prefix = uniqueName("bulk");
  const names = await channels.make(
    prefix,
    Array.from({ length: 11 }, (_, at) => ({ priority: 100 - at })),
  );
  const [first = "", last = ""] = [names[0], names[10]];
  await channels.open(`?keyword=${prefix}&pageSize=10&page=99`);
  await expect(rootPage.getByText("Page 2 of 2")).toBeVisible();
  await expect(rootPage.locator("tbody tr")).toHaveCount(1);
  await expect(rootPage).toHaveURL(/page=2(&|$)/);
  await rootPage.getByRole("checkbox", { name: `Select channel ${last}`, exact: true }).check();
  await rootPage.getByRole("button", { name: "Previous page" }).click();
  await rootPage.getByRole("checkbox", { name: `Select channel ${first}`, exact: true }).check();
  await expect(rootPage.getByText("2 channels selected")).toBeVisible();
  await rootPage.getByRole("button", { name: "Set tag in bulk" }).click();
  const dialog = rootPage.getByRole("dialog");
  await dialog.getByLabel("Tag").fill(prefix);
  await dialog.getByRole("button", { name: "Preview" }).click();
  await expect(dialog.getByText("2 of 2 will change")).toBeVisible();
  await expect(dialog.getByRole("listitem")).toHaveCount(2);
  await expectAccessible(rootPage, { within: dialog });
  expect((await channels.stored(first)).tag).toBeNull();
  await dialog.getByRole("button", { name: "Apply to 2 channels" }).click();
  await channels.expectStored(last, { tag: prefix });
  await channels.expectStored(first, { tag: prefix });
  await rootPage.getByRole("button", { name: "Undo" }).click();
  await channels.expectStored(first, { tag: null });
  await channels.expectStored(last, { tag: null });

  await test.step("all that match", async () => {
    await rootPage.getByRole("checkbox", { name: "Select all 10 on this page" }).check();
    await rootPage.getByRole("button", { name: "Select all 11 matching" }).click();
    await rootPage.getByRole("button", { name: "Delete selected channels" }).click();
    await dialog.getByRole("button", { name: "Apply to 11 channels" }).click();
    await expect(rootPage.getByText("11 channels deleted")).toBeVisible();
    await expect(rootPage.getByText("No matching channels")).toBeVisible();
    await rootPage.getByRole("button", { name: "Undo" }).last().click();
    await channels.expectStored(last, { status: 1 });
  });
});

test("what was changed since is left alone by the undo and named; test of all shows each result; repair and deleting disabled channels ask and report (B030, B032, B035)", async ({
  rootPage,
}) => {
  const channels = new ChannelPage(rootPage);
  const prefix = uniqueName("every");
  const [first = "", off = ""] = await channels.make(prefix, [
    { models: "fake-gpt", weight: 1 },
    { status: 2, weight: 2 },
  ]);
  await channels.open(`?keyword=${prefix}`);

  await test.step("undo", async () => {
    await rootPage.getByRole("checkbox", { name: "Select all 2 on this page" }).check();
    await rootPage.getByRole("button", { name: "More changes" }).click();
    await rootPage.getByRole("menuitem", { name: "Change weight" }).click();
    const dialog = rootPage.getByRole("dialog");
    await dialog.getByLabel("Weight").fill("8");
    await dialog.getByRole("button", { name: "Preview" }).click();
    await dialog.getByRole("button", { name: "Apply to 2 channels" }).click();
    await channels.expectStored(off, { weight: 8 });
    const { id } = await channels.stored(off);
    await rootPage.request.put("/api/channel/", { data: { id, weight: 5 }, headers: { "new-api-user": "1" } });
    await rootPage.getByRole("button", { name: "Undo" }).click();
    await expect(rootPage.getByText(`#${id} ${off}`)).toBeVisible();
    await channels.expectStored(first, { weight: 1 });
    await channels.expectStored(off, { weight: 5 });
  });

  const choose = async (entry: string) => {
    await rootPage.getByRole("button", { name: "Bulk actions" }).click();
    await rootPage.getByRole("menuitem", { name: entry }).click();
  };
  await choose("Test all channels");
  await rootPage.getByRole("dialog").getByRole("button", { name: "Test all channels" }).click();
  const dialog = rootPage.getByRole("dialog", { name: "Channel test" });
  await expect(dialog.getByText(`${prefix}-0`)).toBeVisible({ timeout: 30_000 });
  await expectAccessible(rootPage, { within: dialog });
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await choose("Repair database consistency");
  await rootPage.getByRole("dialog").getByRole("button", { name: "Repair database consistency" }).click();
  await expect(rootPage.getByText(/channels reloaded/)).toBeVisible();
  await choose("Delete disabled channels");
  await rootPage.getByRole("dialog").getByRole("button", { name: "Delete disabled channels" }).click();
  await expect(rootPage.getByText(/disabled channels? deleted/)).toBeVisible();
  expect(await channels.stored(off)).toEqual({});
});
