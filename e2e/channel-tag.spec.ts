import { expect, expectAccessible, test, uniqueName } from "./fixtures";
import { ChannelPage } from "./pages/channel-page";

test("channels are grouped under their tags, those without stay; a tag opens, and switches all its members (B036, B043, B155)", async ({
  rootPage,
}) => {
  const channels = new ChannelPage(rootPage);
  const prefix = uniqueName("tagged");
  const [first = "", second = "", loose = ""] = await channels.make(prefix, [{ tag: prefix }, { tag: prefix }, {}]);
  await channels.open(`?keyword=${prefix}`);
  await rootPage.getByRole("switch", { name: "Group by tag" }).click();
  await expect(rootPage.getByRole("button", { name: `Tag: ${prefix}` })).toBeVisible();
  await expect(channels.row(loose)).toBeVisible();
  await expect(channels.row(first)).toBeHidden();
  await rootPage.getByRole("button", { name: `Tag: ${prefix}` }).click();
  await expect(channels.row(first)).toBeVisible();
  await expectAccessible(rootPage);
  await channels.choose(prefix, "Disable all");
  await rootPage.getByRole("dialog").getByRole("button", { name: "Disable all" }).click();
  await channels.expectStored(first, { status: 2 });
  await channels.expectStored(second, { status: 2 });
  await channels.expectStored(loose, { status: 1 });
  await channels.choose(prefix, "Enable all");
  await channels.expectStored(second, { status: 1 });
});

test("the tag editor overwrites members, says when nothing changed, and dissolves the tag; its priority and weight are asked about, and refused in the required words when they are none (B044, B068, B069, B070, B071, B177, B182, B183, B184)", async ({
  rootPage,
}) => {
  const channels = new ChannelPage(rootPage);
  const prefix = uniqueName("tagedit");
  const [first = "", second = ""] = await channels.make(prefix, [{ tag: prefix }, { tag: prefix, models: "o3" }]);
  await channels.speak("zh");
  await channels.open(`?keyword=${prefix}&tags=true&editTag=${prefix}`);
  const drawer = rootPage.getByRole("dialog", { name: "编辑标签" });
  await expect(drawer.getByText("填写的值会覆盖该标签下所有渠道的设置，留空则不更改。")).toBeVisible();
  await drawer.getByRole("button", { name: "提交" }).click();
  await expect(rootPage.getByText("没有任何修改！")).toBeVisible();
  await drawer.getByLabel("模型重定向").fill("{a");
  await drawer.getByRole("button", { name: "提交" }).click();
  await expect(drawer.getByText("模型映射必须是合法的 JSON 格式！")).toBeVisible();
  await drawer.getByRole("button", { name: "填入模板" }).click();
  await drawer.getByLabel("模型", { exact: true }).fill("new-model");
  await drawer.getByRole("button", { name: "提交" }).click();
  await expect(drawer).toBeHidden();
  await channels.expectStored(first, { models: "new-model", group: "default", tag: prefix });
  await channels.expectStored(second, { models: "new-model" });
  expect(JSON.parse(String((await channels.stored(second)).model_mapping))).toEqual({
    "gpt-3.5-turbo": "gpt-3.5-turbo-0125",
  });

  await test.step("priority and weight", async () => {
    const edit = async (label: string, text: string) => {
      await rootPage.getByRole("button", { name: new RegExp(`^${prefix} 的${label}`) }).click();
      const field = rootPage.getByRole("textbox", { name: `${prefix} 的${label}` });
      await field.fill(text);
      await field.press("Enter");
    };
    await edit("优先级", "");
    await expect(rootPage.getByText("优先级必须是整数！")).toBeVisible();
    await edit("权重", "-1");
    await expect(rootPage.getByText("权重必须是非负整数！")).toBeVisible();
    await edit("优先级", "7");
    const question = rootPage.getByRole("dialog");
    await expect(question).toContainText("7");
    await question.getByRole("button", { name: "提交" }).click();
    await channels.expectStored(first, { priority: 7 });
    await expect(question).toBeHidden();
  });

  await rootPage.getByRole("button", { name: `编辑 ${prefix}`, exact: true }).click();
  await drawer.getByLabel("标签名称").fill("");
  await drawer.getByRole("button", { name: "提交" }).click();
  await channels.expectStored(first, { tag: null });
  await channels.speak("en");
});
