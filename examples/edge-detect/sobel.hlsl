// Sobel edge filter, as sobel.wgsl: one 32-bit luma value per pixel, in and out.
[[vk::binding(0, 0)]] cbuffer Picture { int2 size; };
[[vk::binding(1, 0)]] StructuredBuffer<uint> source;
[[vk::binding(2, 0)]] RWStructuredBuffer<uint> edges;

int luma(int2 place)
{
    int2 inside = clamp(place, int2(0, 0), size - 1);
    return int(source[inside.y * size.x + inside.x]);
}

[numthreads(16, 16, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    int2 here = int2(id.xy);
    if (any(here >= size))
        return;
    int gx = 0;
    int gy = 0;
    [unroll]
    for (int k = -1; k <= 1; k++)
    {
        int weight = 2 - abs(k);
        gx += weight * (luma(here + int2(1, k)) - luma(here + int2(-1, k)));
        gy += weight * (luma(here + int2(k, 1)) - luma(here + int2(k, -1)));
    }
    edges[here.y * size.x + here.x] = uint(min(sqrt(float(gx * gx + gy * gy)) + 0.5, 255.0));
}
