import type { Page } from "@playwright/test";
import { expect, expectAccessible, test, uniqueName } from "./fixtures";
import { ChannelPage } from "./pages/channel-page";

const drawerOf = (page: Page) => page.getByRole("dialog", { name: /^(Add|Edit) channel$/ });

async function chooseType(page: Page, name: string): Promise<void> {
  await drawerOf(page).getByLabel("Type", { exact: true }).first().click();
  await page.getByPlaceholder("Search types").fill(name);
  await page
    .getByRole("option", { name: new RegExp(`^${name}`) })
    .first()
    .click();
}

test("the required address opens the editor of a channel; time limits are fields, the rest of the setting stays (B008, B040, B049)", async ({
  rootPage,
}) => {
  const channels = new ChannelPage(rootPage);
  const setting = '{"force_format":true,"time_limits":{"idle":20}}';
  const [name = ""] = await channels.make(uniqueName("deep"), [{ setting }]);
  const { id } = await channels.stored(name);
  await rootPage.goto(`/channel/edit/${id}`);
  const drawer = rootPage.getByRole("dialog", { name: "Edit channel" });
  await expect(drawer.getByLabel("Name", { exact: true })).toHaveValue(name);
  await expect(drawer.getByLabel("Key", { exact: true })).toHaveValue("");
  const firstByte = drawer.getByLabel("First byte of a stream");
  await expect(firstByte).toHaveAttribute("placeholder", "15");
  await expect(drawer.getByLabel("Idle timeout within a response")).toHaveValue("20");
  await firstByte.fill("2,5");
  await expect(drawer.getByText("Enter a number of seconds from 0 to 86400")).toBeVisible();
  await expectAccessible(rootPage, { within: drawer });
  await drawer.getByRole("button", { name: "Submit" }).click();
  await expect(rootPage.getByText("Check the marked fields")).toBeVisible();
  await firstByte.fill("2.5");
  await drawer.getByLabel("Idle timeout within a response").fill("");
  await drawer.getByRole("button", { name: "Submit" }).click();
  await expect
    .poll(async () => JSON.parse(String((await channels.stored(name)).setting)))
    .toEqual({ force_format: true, time_limits: { first_byte: 2.5 } });
});

test("the required address opens an empty editor; each type shows its own fields and what to know about it (B008, B040, B050, B052, B053, B055, B056, B057, B058, B060, B061, B062, B063, B138)", async ({
  rootPage,
}) => {
  await rootPage.goto("/channel/add");
  await expect(rootPage.getByRole("dialog", { name: "Add channel" })).toBeVisible();
  const drawer = drawerOf(rootPage);
  await expect(drawer.getByLabel("Organization")).toBeVisible();
  await expect(drawer.getByLabel("Default test model")).toBeVisible();
  await expect(drawer.getByRole("switch", { name: "Auto-disable" })).toBeChecked();
  await chooseType(rootPage, "Azure");
  await expect(drawer.getByLabel("Organization")).toBeHidden();
  await expect(drawer.getByLabel("AZURE_OPENAI_ENDPOINT")).toBeVisible();
  await expect(drawer.getByLabel("Default API version")).toBeVisible();
  await expect(drawer.getByText(/deployment name must equal the model name/)).toBeVisible();
  await chooseType(rootPage, "Custom");
  await expect(drawer.getByLabel("Full base URL")).toBeVisible();
  await drawer.getByRole("button", { name: "Extra channel settings: Insert template" }).click();
  await expect(drawer.getByLabel("Extra channel settings", { exact: true })).toHaveValue(/force_format/);
  await chooseType(rootPage, "Vertex");
  await expect(drawer.getByLabel("Deployment region", { exact: true })).toBeVisible();
  await drawer.getByRole("button", { name: "Credentials JSON: Insert template" }).click();
  await expect(drawer.getByLabel("Credentials JSON", { exact: true })).toHaveValue(/private_key/);
  for (const [type, label] of [
    ["iFlytek", "Model version"],
    ["AI Proxy", "Knowledge base ID"],
    ["FastGPT", "Private deployment URL"],
    ["Cloudflare", "Account ID"],
  ] as const) {
    await chooseType(rootPage, type);
    await expect(drawer.getByLabel(label)).toBeVisible();
  }
  await chooseType(rootPage, "Suno");
  await expect(drawer.getByText("The part before /suno")).toBeVisible();
  await expect(drawer.getByText("suno_music")).toBeVisible();
});

test("missing and wrong fields are named before anything is sent; models are filled, cleared, typed and fetched, and a duplicate is refused (A212, A228, A229, B065, B066, B067, B175, B176, B177, B178, B179)", async ({
  rootPage,
}) => {
  const channels = new ChannelPage(rootPage);
  await channels.speak("zh");
  await channels.open("?create=true");
  const drawer = rootPage.getByRole("dialog", { name: "添加渠道" });
  await expect(drawer.getByRole("switch", { name: "自动禁用" })).toBeChecked();
  await drawer.getByRole("button", { name: "移除 default" }).click();
  await drawer.getByLabel("模型重定向", { exact: true }).fill("{a");
  await drawer.getByLabel("状态码复写", { exact: true }).fill("{a");
  await drawer.getByRole("button", { name: "提交" }).click();
  for (const text of [
    "请输入渠道名称",
    "请输入渠道密钥",
    "请至少选择一个模型",
    "请至少选择一个分组",
    "不是合法的 JSON 字符串",
  ])
    await expect(drawer.getByText(text)).toBeVisible();
  await expect(drawer.getByText("模型映射必须是合法的 JSON 格式！")).toBeVisible();
  await expectAccessible(rootPage, { within: drawer });

  const models = drawer.getByLabel("模型", { exact: true });
  await expect(drawer.getByText("0 个模型")).toBeVisible();
  await models.fill("a,b");
  await models.press("Enter");
  await models.fill("a");
  await models.press("Enter");
  await expect(rootPage.getByText("某些模型已存在！")).toBeVisible();
  await expect(drawer.getByText("2 个模型没有价格，请求会被拒绝：a、b。")).toBeVisible();
  await expect(drawer.getByText("2 个模型", { exact: true })).toBeVisible();
  await drawer.getByRole("button", { name: "填入相关模型" }).click();
  await expect(drawer.getByText("2 个模型", { exact: true })).toBeHidden();
  await drawer.getByRole("button", { name: "填入所有模型" }).click();
  await drawer.getByRole("button", { name: "清除所有模型" }).click();
  await drawer.getByLabel("API地址").fill("http://127.0.0.1:9");
  await drawer.getByLabel("密钥", { exact: true }).fill("sk-x");
  await drawer.getByRole("button", { name: "获取模型列表" }).click();
  await expect(rootPage.getByText("获取模型列表失败")).toBeVisible();
  await drawer.getByLabel("API地址").fill(process.env.WEIR_E2E_UPSTREAM ?? "");
  await drawer.getByRole("button", { name: "获取模型列表" }).click();
  const picker = rootPage.getByRole("dialog", { name: "获取模型列表" });
  await expect(picker.getByText("fake-gpt")).toBeVisible();
  await expectAccessible(rootPage, { within: picker });
  await picker.getByRole("checkbox", { name: /fake-slow/ }).uncheck();
  await picker.getByRole("button", { name: /^仅使用这/ }).click();
  await expect(drawer.getByText("fake-gpt")).toBeVisible();
  await expect(drawer.getByText("fake-slow")).toBeHidden();
  await channels.speak("en");
});

test("several keys make several channels, or one whose keys are added, switched and removed one by one (B051, B054, B064, B180)", async ({
  rootPage,
}) => {
  const channels = new ChannelPage(rootPage);
  const name = uniqueName("keys");
  await channels.open(`?keyword=${name}&create=true`);
  const drawer = drawerOf(rootPage);
  await drawer.getByLabel("Name", { exact: true }).fill(name);
  await drawer.getByLabel("Base URL").fill(`${process.env.WEIR_E2E_UPSTREAM}/`);
  await drawer.getByLabel("Key", { exact: true }).fill("sk-one\nsk-two");
  await drawer.getByLabel("Priority").fill("3");
  await drawer.getByRole("switch", { name: "Put all keys into one channel" }).click();
  await drawer.getByRole("button", { name: "Add related models" }).click();
  await drawer.getByRole("button", { name: "Submit" }).click();
  await drawer.getByRole("button", { name: "Done" }).click();
  await expect(channels.row(name)).toContainText("2/2 keys in use");
  await channels.expectStored(name, { priority: 3, base_url: process.env.WEIR_E2E_UPSTREAM, key: "" });
  await rootPage.getByRole("row").getByRole("link", { name }).click();
  const keys = rootPage.getByRole("region", { name: "Keys" }).last();
  await keys.getByRole("button", { name: "Add keys" }).click();
  await keys.getByLabel("New keys").fill("sk-three");
  await keys.getByRole("button", { name: "Add keys" }).click();
  await expect(keys.getByText("3/3 keys in use")).toBeVisible();
  await keys
    .getByRole("button", { name: /^Disable / })
    .first()
    .click();
  await expect(keys.getByText("2/3 keys in use")).toBeVisible();
  await keys
    .getByRole("button", { name: /^Delete / })
    .first()
    .click();
  await rootPage.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(keys.getByText("2/2 keys in use")).toBeVisible();
  await keys.getByRole("button", { name: "At random" }).click();
  await expect(keys.getByRole("button", { name: "At random" })).toHaveAttribute("aria-pressed", "true");
  await expectAccessible(rootPage, { within: keys });
});
