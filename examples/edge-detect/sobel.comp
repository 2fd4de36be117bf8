#version 450
// Sobel edge filter: 16x16 work groups cover the picture; threads outside it do nothing; the border pixels repeat outwards.
// One 32-bit luma value (0 to 255) per pixel, in and out. Integer gradients are exact; the magnitude is the one rounded step.

layout(local_size_x = 16, local_size_y = 16) in;

layout(set = 0, binding = 0) uniform Picture { ivec2 size; } picture;
layout(set = 0, binding = 1) readonly buffer Source { uint pixels[]; } source;
layout(set = 0, binding = 2) buffer Edges { uint pixels[]; } edges;

int luma(int x, int y) {
    return int(source.pixels[y * picture.size.x + x]);
}

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (at.x >= picture.size.x || at.y >= picture.size.y) {
        return;
    }
    int left = max(at.x - 1, 0);
    int right = min(at.x + 1, picture.size.x - 1);
    int up = max(at.y - 1, 0);
    int down = min(at.y + 1, picture.size.y - 1);

    int nw = luma(left, up), n = luma(at.x, up), ne = luma(right, up);
    int w = luma(left, at.y), e = luma(right, at.y);
    int sw = luma(left, down), s = luma(at.x, down), se = luma(right, down);

    int gx = (ne + 2 * e + se) - (nw + 2 * w + sw);
    int gy = (sw + 2 * s + se) - (nw + 2 * n + ne);
    float magnitude = sqrt(float(gx * gx + gy * gy));
    edges.pixels[at.y * picture.size.x + at.x] = uint(min(magnitude + 0.5, 255.0));
}
