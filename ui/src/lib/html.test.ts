import { describe, expect, it } from "vitest";
import { sanitizeHtml, linkAddress } from "./html";

describe("tracker text", () => {
  it.each([
    ["<p onclick=alert(1)>x</p>", "<p>x</p>"],
    ["<script>alert(1)</script>x", "x"],
    ['<img src="https://spy.example/x.png">x', "x"],
    ['<a href="javascript:alert(1)">x</a>', "<a>x</a>"],
    ['<p style="position:fixed">x</p>', "<p>x</p>"],
    ["<form><input></form>x", "x"],
    ['<input type="checkbox">x', "x"],
    ["<code>\u202Egpj.exe</code> &#x202e;gpj.exe", "<code>gpj.exe</code> gpj.exe"],
  ])("%s is defused", (hostile, expected) => {
    expect(sanitizeHtml(hostile)).toBe(expected);
  });

  it("keeps formatting", () => {
    const html =
      '<p><code>x</code> <a href="https://a.example/">a</a> <span class="remote-image" data-src="https://b.example/c.png">c</span></p>';
    expect(sanitizeHtml(html)).toBe(html);
    const task = '<ul dir="auto"><li><span class="task">☑</span> done</li></ul>';
    expect(sanitizeHtml(task)).toBe(task);
  });

  it("lists follow their text direction", () => {
    expect(sanitizeHtml('<ol dir="ltr" title="<ol>"><li>افتح</li></ol>')).toBe('<ol dir="auto" title="<ol>"><li>افتح</li></ol>');
  });

  it("cannot shadow the window's names", () => {
    expect(sanitizeHtml('<p id="results">x</p>')).not.toContain('id="results"');
  });
});

describe("a click inside tracker text", () => {
  const click = (html: string) => {
    document.body.innerHTML = html;
    const target = document.body.querySelector("b") ?? document.body;
    return linkAddress({ target } as unknown as Event, "https://github.com/acme/app/issues/1");
  };

  it("opens only web addresses", () => {
    expect(click('<a href="https://a.example/x"><b>x</b></a>')).toBe("https://a.example/x");
    expect(click('<a href="/acme/app/issues/2"><b>x</b></a>')).toBe("https://github.com/acme/app/issues/2");
    expect(click('<a href="javascript:alert(1)"><b>x</b></a>')).toBeNull();
    expect(click('<a href="#top"><b>x</b></a>')).toBeNull();
    expect(click("<b>x</b>")).toBeNull();
  });
});
