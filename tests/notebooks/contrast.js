// The texts in an element that are hard to read: less than 3 to 1 between a text's colour and what lies behind it. Text in a
// picture (SVG) is left out: what lies behind it there is a matter of the drawing's order.
(root) => {
    const channels = (colour) => {
        const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return Array.from(canvas.getImageData(0, 0, 1, 1).data);
    };
    const luminance = ([red, green, blue]) => {
        const linear = [red, green, blue].map((c) => (c / 255 <= 0.03928 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    const behind = (element) => {
        for (let e = element; e; e = e.parentElement) {
            const colour = channels(getComputedStyle(e).backgroundColor);
            if (colour[3] > 200) return colour;
        }
        return [255, 255, 255, 255];
    };
    const poor = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement;
        if (!node.textContent.trim() || element.closest("svg, style, script") || !element.getClientRects().length) continue;
        const text = luminance(channels(getComputedStyle(element).color)), back = luminance(behind(element));
        const ratio = (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
        if (ratio < 3) poor.push(`${node.textContent.trim().slice(0, 40)} (${ratio.toFixed(1)} to 1)`);
    }
    return poor;
}
